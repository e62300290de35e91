"""Rows of a listing bear the names of assignments: of a call's result those of the calls to which they belong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from tensordbg.analysis.names.listing import Selection, list_tensors
from tensordbg.analysis.tensors.assigned_rows import with_assigned
from tests.backends.tensorflow.recorded import record


def test_each_call_has_the_name_that_its_result_is_given(tmp_path: Path) -> None:
    @tf.function
    def step(x: Any) -> Any:
        return x * 2.0

    def program() -> None:
        one = step(tf.constant(1.0))
        two = step(one)
        step(two)

    reader = record(tmp_path, program).reader
    rows = with_assigned(reader, list_tensors(reader, Selection(tensor="mul:0")).rows)
    assert [{"one", "two"} & {*row.python_names} for row in rows] == [{"one"}, {"two"}, set()]
    assert with_assigned(reader, ()) == []
