"""The forward operation of a gradient, by what was recorded or by names."""

from __future__ import annotations

from tensordbg.analysis.warnings.study.forward import forward_of
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import network, studied


def forward(trace: TraceBuilder, name: str) -> str | None:
    seen = studied(trace)
    site = next(site for site in seen.program.sites.values() if site.name == name)
    found = forward_of(seen, site)
    return None if found is None else found.name


def test_as_recorded_and_by_name() -> None:
    assert forward(network(steps=1), "gradient_tape/ReluGrad") == "Relu"
    assert forward(network(steps=1), "gradient_tape/BiasAdd/BiasAddGrad") == "BiasAdd"
    assert forward(network(steps=1), "gradient_tape/MatMul/MatMul") == "MatMul"
    assert forward(network(steps=1), "Relu") is None


def test_of_a_backward_pass_in_its_own_graph() -> None:
    trace = TraceBuilder()
    f, backward = trace.function("f"), trace.function("f", "__inference___backward_f_7")
    f.op("MatMul", f.argument("x"), name="layer/MatMul")
    gradient = backward.op("MatMul", backward.argument("y"), name="gradients/layer/MatMul_grad/MatMul")
    trace.run(backward).event(gradient, [1.0])
    assert forward(trace, "gradients/layer/MatMul_grad/MatMul") == "layer/MatMul"


def test_an_eager_operation_by_what_its_gradient_takes() -> None:
    trace = TraceBuilder()
    relu = trace.eager("Relu", values=[0.0, 1.0])
    trace.eager("ReluGrad", trace.output(relu), values=[0.0, 1.0], name="ReluGrad")
    trace.eager("Mul", trace.output(relu), values=[0.0, 1.0], name="Mul")
    assert forward(trace, "ReluGrad") == "Relu"
    assert forward(trace, "Mul") is None
