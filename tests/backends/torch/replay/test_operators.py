from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tensordbg.backends.torch.captured.graph import Operation
from tensordbg.backends.torch.replay.operators import operators_of
from tensordbg.capture.header import Header
from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError

torch = pytest.importorskip("torch")
CAPTURE = Capture(Path("captures/Net-3"), cast("Header", None))


def operation(name: str, overload: str = "") -> Operation:
    return Operation(name, overload, (), (), -1)


def test_operations_that_compute_are_found_with_what_they_write() -> None:
    found = operators_of(CAPTURE, [operation("aten::log"), operation("aten::add_", "Tensor")])
    assert found["aten::log", ""].overload is torch.ops.aten.log.default
    assert found["aten::log", ""].writes == frozenset()
    assert found["aten::add_", "Tensor"].writes == {0}


@pytest.mark.parametrize(
    "refused",
    [
        ("aten::from_file", ""),
        ("aten::save", ""),
        ("aten::format", ""),
        ("aten::set_", "source_Storage"),
        ("prim::Print", ""),
        ("aten::log", "no_such_overload"),
        ("aten::log.out", ""),
        ("aten::__class__", ""),
        ("aten::_dir", ""),
        ("mine::log", ""),
        ("os::system", ""),
    ],
)
def test_all_others_are_refused(refused: Any) -> None:
    with pytest.raises(CaptureError, match="of which it is not known here that it only computes"):
        operators_of(CAPTURE, [operation(*refused)])
