"""What part each tensor plays in training."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.warnings.study.study import Study
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def names(seen: Study, marks: object) -> set[str]:
    chosen = np.asarray(marks)[seen.port]
    return {seen.site(k).name for k in np.flatnonzero(chosen)}


def test_parts_of_a_training_step() -> None:
    seen = studied(network(steps=6))
    forward = {"x", "kernel", "bias", "MatMul", "BiasAdd", "Relu", "loss"}
    assert names(seen, seen.learning) == forward
    assert all(name.startswith("gradient_tape/") for name in names(seen, seen.gradient))
    assert names(seen, seen.trained_reads) == {"kernel", "bias"}
    assert [seen.site(k).name for k in seen.losses] == ["loss"]
    assert set(seen.writers) == {0, 1}


def test_without_gradients_everything_is_the_forward_pass() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    y = f.op("Tanh", x)
    run = trace.run(f)
    run.event(x, [1.0])
    run.event(y, [0.7])
    seen = studied(trace)
    assert names(seen, seen.learning) == {"x", "Tanh"}
    assert seen.losses == []


def test_a_read_is_called_by_its_variable() -> None:
    seen = studied(network(steps=6))
    assert {seen.name(k) for _, k in seen.reads} == {"kernel", "bias"}
    assert "Relu:0" in {seen.name(k) for k in range(len(seen.series))}


def test_what_is_not_to_be_trained_is_not() -> None:
    seen = studied(network(steps=6, trainable=False))
    assert not seen.trained_reads.any()
    assert not seen.is_trained(0)
    assert studied(network(steps=6, trainable=None)).is_trained(0)


def test_the_first_value_of_a_variable_is_no_training() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    trace.eager("AssignVariableOp", writes=[w])
    f = trace.function("f")
    trace.run(f).event(f.read(w), [1.0])
    assert studied(trace).writers == {}
