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


def test_what_is_on_meta_is_told_and_nothing_that_was_not_computed(tmp_path: Path) -> None:
    def call() -> None:
        with tensordbg.record(tmp_path):
            torch.nn.Linear(4, 2, device="meta")(torch.ones(3, 4))

    with pytest.raises(RuntimeError, match="on device meta"):
        call()
    (path,) = tmp_path.iterdir()
    trace = open_trace(path)
    failure = trace.facts.failure
    assert failure is not None
    on_meta = "tensor on meta"
    assert [(each.tensor, each.shape) for each in failure.inputs if each.tensor == on_meta] == [
        (on_meta, (2,)),
        (on_meta, (4, 2)),
    ]
    assert [each.shape for each in failure.inputs if each.tensor != on_meta] == [(3, 4)]
    assert trace.count("tensors") == 1  # `mm` and `mul` within it gave room that nobody has written


def test_a_parameter_that_an_optimizer_has_written_bears_its_name(tmp_path: Path) -> None:
    def train() -> None:
        with tensordbg.record(tmp_path):
            net = torch.nn.Sequential(torch.nn.Linear(4, 2))
            optimizer = torch.optim.SGD(net.parameters(), 0.1)
            for width in (4, 5):
                net(torch.ones(3, width)).sum().backward()
                optimizer.step()

    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        train()
    (path,) = tmp_path.iterdir()
    (failure,) = tensordbg.open(path).why().failures
    assert [each.tensor for each in failure.inputs] == ["0.bias", "aten::ones:0", "aten::t:0 of 0.weight"]
