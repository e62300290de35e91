"""Softmaxes over an axis of length 1."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.warnings.layers.softmax_of_one import softmaxes_of_one
from tensordbg.analysis.warnings.study.study import Finding
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def findings(op_type: str, logits: tuple[int, ...], value: float, steps: int = 10) -> list[Finding]:
    trace = TraceBuilder()
    w = trace.variable("w", "[2]", trainable=True)
    f = trace.function("train_step")
    read = f.read(w)
    given = f.op("MatMul", read)
    soft = f.op(op_type, given, name="soft")
    loss = f.op("Mean", soft, name="loss")
    f.write(w, f.op("Mul", loss, read, name="gradient_tape/loss/Mul"), op_type="AssignSubVariableOp")
    shape = logits[:-1] if op_type.endswith("Logits") else logits
    for step in range(steps):
        run = trace.run(f)
        for ref, values in (
            (read, [1.0, 2.0]),
            (given, np.full(logits, step)),
            (soft, np.full(shape, value)),
            (loss, 1.5),
        ):
            run.event(ref, values)
    return softmaxes_of_one(studied(trace))


@pytest.mark.parametrize(
    ("op_type", "value"),
    [
        ("Softmax", 1.0),
        ("Softmax", 1 - 2**-24),  # what the runtime's vectors give of 32 rows
        ("LogSoftmax", 0.0),
        ("SparseSoftmaxCrossEntropyWithLogits", 0.0),
    ],
)
def test_one_class(op_type: str, value: float) -> None:
    (finding,) = findings(op_type, (8, 1), value)
    assert finding.explanation.startswith(f"{op_type} of one class: the axis over which soft:0 of shape [8")
    assert findings(op_type, (8, 2), value) == []
    assert findings(op_type, (8, 1), value, steps=3) == []


@pytest.mark.parametrize(("width", "count"), [(1, 1), (2, 0)])
def test_one_that_did_not_run_as_only_predictions_ask_for_it(width: int, count: int) -> None:
    trace = TraceBuilder()
    w = trace.variable("w", "[2]", trainable=True)
    f = trace.function("train_step")
    read = f.read(w)
    given = f.op("MatMul", read)
    f.op("Softmax", given, name="soft")
    loss = f.op("SigmoidCrossEntropyWithLogits", given, name="loss")
    f.write(w, f.op("Mul", loss, read, name="gradient_tape/loss/Mul"), op_type="AssignSubVariableOp")
    for step in range(10):
        run = trace.run(f)
        for ref, values in ((read, [1.0, 2.0]), (given, np.full((8, width), step)), (loss, 1.5)):
            run.event(ref, values)
    found = softmaxes_of_one(studied(trace))
    assert len(found) == count
    for each in found:
        assert each.explanation.startswith("Softmax of one class: the axis over which soft:0 of shape [8, 1] is")
        assert "the training does not go through it" in each.explanation


def test_another_axis_may_be_meant() -> None:
    (over_positions,) = findings("Softmax", (8, 6, 1), 1.0)
    assert over_positions.suggestion.startswith("Name the axis over which it is meant")
    (of_classes,) = findings("Softmax", (8, 1), 1.0)
    assert of_classes.suggestion.startswith("For two classes with one output use a sigmoid")


def test_what_is_not_always_one_has_more_elements_at_times() -> None:
    assert findings("Softmax", (8, 1), 0.5) == []
