from __future__ import annotations

import pytest

from tensordbg.analysis.warnings.layers.saturation import saturated_activations
from tensordbg.analysis.warnings.losses.activation_twice import activations_twice
from tensordbg.analysis.warnings.study.written import kind_at
from tensordbg.model import TensorRef
from tensordbg.operations.kinds import Kind
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def written(activation: str, values: list[float], weights: bool = False) -> tuple[TraceBuilder, TensorRef]:
    """A loss of a softmax or a sigmoid that is written out, or of what weights make of it."""
    trace = TraceBuilder()
    f = trace.function("train_step")
    read, y = f.read(trace.variable("w", "[2]", trainable=True)), f.argument("y")
    if activation == "softmax":
        top = f.op("RealDiv", raised := f.op("Exp", f.op("Sub", read, f.op("Max", read))), f.op("Sum", raised))
    elif activation == "sigmoid":
        one = f.op("Const")
        top = f.op("RealDiv", one, f.op("AddV2", one, f.op("Exp", f.op("Neg", read))))
    else:
        top = f.op("RealDiv", read, f.op("Sum", read))
    cost = f.op("SoftmaxCrossEntropyWithLogits", f.op("MatMul", top, read) if weights else top, y)
    f.write(trace.variables[0]["variable"], f.op("Mul", cost, name="gradient_tape/Mul"), op_type="AssignSubVariableOp")
    for step in range(10):
        run = trace.run(f)
        for ref in (y, read, cost):
            run.event(ref, [0.1 + step / 100, 0.7])
        run.event(top, values)
    return trace, top


@pytest.mark.parametrize(
    ("activation", "kind"), [("softmax", Kind.SOFTMAX), ("sigmoid", Kind.SIGMOID), ("shares", Kind.DIVIDE)]
)
def test_what_is_written_out_is_known(activation: str, kind: Kind) -> None:
    trace, top = written(activation, [0.2, 0.8])
    study = studied(trace)
    assert kind_at(study, study.ports.of(top)) is kind
    told = [each.evidence["activation"] for each in activations_twice(study)]
    assert told == ([] if kind is Kind.DIVIDE else [activation])


@pytest.mark.parametrize(("activation", "fix"), [("softmax", "softmax"), ("sigmoid", ""), ("shares", None)])
def test_at_its_limits_it_is_saturated(activation: str, fix: str | None) -> None:
    trace, top = written(activation, [0.0, 1.0], weights=True)
    study = studied(trace)
    found = saturated_activations(study)
    assert [study.at[study.ports.of(top)] for _ in found] == ([] if fix is None else [[each.series for each in found]])
    assert [each.suggestion for each in found] == (
        [] if fix is None else [study.fix(found[0].series, "saturated_activation", fix)]
    )


def test_numbers_beyond_1_are_no_probabilities() -> None:
    """A mean weighted by exponentials is computed as a softmax is."""
    trace, top = written("softmax", [-0.5, 1.5])
    study = studied(trace)
    assert kind_at(study, study.ports.of(top)) is Kind.DIVIDE
    assert activations_twice(study) == []
