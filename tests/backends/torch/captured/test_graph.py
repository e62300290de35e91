from __future__ import annotations

import math
from pathlib import Path
from typing import cast

import pytest

from tensordbg.backends.torch.captured.graph import number_of, plain_number, read_graph
from tensordbg.capture.header import Header
from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError


def test_numbers_that_json_lacks_come_back() -> None:
    assert number_of(plain_number([1.5, -math.inf, 3, None])) == [1.5, -math.inf, 3, None]
    assert math.isnan(number_of(plain_number(math.nan)))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "so its step can't be run again; take another capture"),
        (b"[", "can't be read"),
        (b'{"operations": [1]}', "can't be read"),
        (b'{"operations": ' + b"[" * 300 + b"]" * 300 + b"}", "can't be read"),
        (b"\xff", "can't be read"),
    ],
)
def test_what_is_no_graph_is_one_error(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "graph.json").write_bytes(content)
    with pytest.raises(CaptureError, match=said):
        read_graph(Capture(tmp_path, cast("Header", None)))
