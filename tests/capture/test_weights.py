from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tensordbg.capture.reader import open_capture
from tensordbg.capture.tensors import read_tensors
from tensordbg.capture.weights import export_weights
from tensordbg.errors import UsageError
from tests.capture.conftest import VARIABLES

Write = Callable[..., Path]


def test_variables_are_written_under_their_names(tmp_path: Path, write: Write) -> None:
    capture = open_capture(write(tmp_path / "one"))
    for name in ("w.safetensors", "w.npz"):
        assert export_weights(capture, tmp_path / name) == ["kernel", "count"]
    stored = read_tensors(tmp_path / "w.safetensors")
    with np.load(tmp_path / "w.npz") as loaded:
        for weights in (stored, loaded):
            np.testing.assert_array_equal(weights["kernel"], VARIABLES["v1"])
            assert weights["count"] == 7


def test_nothing_is_overwritten_and_no_format_guessed(tmp_path: Path, write: Write) -> None:
    capture = open_capture(write(tmp_path / "one"))
    (tmp_path / "there.npz").write_text("mine")
    with pytest.raises(UsageError, match="is there already, and nothing is overwritten; choose another name"):
        export_weights(capture, tmp_path / "there.npz")
    assert (tmp_path / "there.npz").read_text() == "mine"
    with pytest.raises(UsageError, match=r"weights are written as .safetensors or .npz; give the file such a name"):
        export_weights(capture, tmp_path / "weights.h5")
