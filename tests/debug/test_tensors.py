"""Patterns of the console as the recorder takes them."""

from __future__ import annotations

from tensordbg.console.running import Recorded
from tensordbg.debug.tensors import wanted_tensors
from tensordbg.health.spec import DTYPES
from tensordbg.recording.tensor_filter import TensorFilter


def test_nothing_chosen_is_everything() -> None:
    assert wanted_tensors(Recorded()) == TensorFilter()


def test_dtypes_match_from_their_beginning() -> None:
    wanted = wanted_tensors(Recorded("dense", "Mat", "float|int3"))
    assert (wanted.names, wanted.op_types) == ("dense", "Mat")
    assert wanted.dtypes is not None
    assert {DTYPES[number] for number in wanted.dtypes} == {
        *("float16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "int32"),
    }
