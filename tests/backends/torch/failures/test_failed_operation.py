from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.model import NONE
from tensordbg.trace.program.facts import Failure
from tensordbg.trace.reader import open_trace

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def failure_of(folder: Path, error: type[Exception], *shapes: tuple[int, ...]) -> Failure:
    def multiply() -> None:
        with tensordbg.record(folder):
            a, b = (torch.ones(shape) for shape in shapes)
            _ = a.T @ b

    with pytest.raises(error):
        multiply()
    (trace,) = folder.iterdir()
    failure = open_trace(trace).facts.failure
    assert failure is not None
    return failure


def test_what_an_operation_was_given_and_the_views_on_the_way(tmp_path: Path) -> None:
    failure = failure_of(tmp_path, RuntimeError, (4, 3), (5, 2))
    assert (failure.error, failure.site != NONE, failure.execution != NONE) == ("RuntimeError", True, True)
    assert [(each.dtype, each.shape) for each in failure.inputs] == [("float32", (3, 4)), ("float32", (5, 2))]
    view, _, of = failure.tensors
    assert (view.inputs, view.shape, of.shape) == ((2,), (3, 4), (4, 3))
    assert of.execution != NONE


def test_the_execution_is_marked_as_failed(tmp_path: Path) -> None:
    failure = failure_of(tmp_path, RuntimeError, (4, 3), (5, 2))
    (trace,) = tmp_path.iterdir()
    table = open_trace(trace).table("executions", ["execution", "failed"])
    failed = [row["execution"] for row in table.to_pylist() if row["failed"]]
    assert failed == [failure.execution]
