"""Which gradient trains which variable."""

from __future__ import annotations

from tensordbg.analysis.warnings.study.training import gradients_of_variables
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def gradients(trace: TraceBuilder) -> dict[str, list[str]]:
    seen = studied(trace)
    found = gradients_of_variables(seen)
    return {seen.program.variables[v].name: [seen.site(k).name for k in several] for v, several in found.items()}


def test_by_the_way_to_the_write() -> None:
    assert gradients(network(steps=3)) == {
        "kernel": ["gradient_tape/MatMul/MatMul"],
        "bias": ["gradient_tape/BiasAdd/BiasAddGrad"],
    }


def test_not_of_variables_that_are_not_trained() -> None:
    assert gradients(network(steps=3, trainable=False)) == {}


def with_momentum() -> TraceBuilder:
    """Two variables with momenta; a norm of all gradients scales each of them."""
    trace = TraceBuilder()
    f = trace.function("f")
    made = [f.op("MatMul", name=f"gradient_tape/{name}") for name in ("one", "two")]
    norm = f.op("Sum", *made, name="norm")
    for gradient, shape in zip(made, ("[3]", "[2]"), strict=True):
        variable = trace.variable(f"variable{shape}", shape, trainable=True)
        momentum = trace.variable(f"momentum{shape}", shape, trainable=False)
        scaled = f.op("Mul", gradient, norm, name=f"scaled{shape}")
        f.write(momentum, f.op("Sub", scaled, f.read(momentum)), op_type="AssignAddVariableOp")
        f.write(variable, f.read(momentum), op_type="AssignSubVariableOp")
    run = trace.run(f)
    run.event(made[0], [1.0, 2.0, 3.0])
    run.event(made[1], [1.0, 2.0])
    run.event(norm, 4.0)
    return trace


def test_through_momenta_but_not_through_a_norm() -> None:
    assert gradients(with_momentum()) == {
        "variable[3]": ["gradient_tape/one"],
        "variable[2]": ["gradient_tape/two"],
    }
