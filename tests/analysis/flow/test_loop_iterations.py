"""The loops around a tensor, each with its iteration."""

from __future__ import annotations

from tensordbg.analysis.flow.loop_iterations import iterations_around
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder, located


def looped(trace: TraceBuilder, name: str, inner: tuple[Graph, ...] = ()) -> tuple[tuple[Graph, ...], TensorRef]:
    """A loop's condition and body, which multiplies, then runs a loop in it; and what it multiplies."""
    cond, body = trace.function(f"{name}_cond"), trace.function(f"{name}_body")
    cond.returns(cond.op("Less", cond.argument("x"), dtype="bool"))
    product = body.op("Mul", body.argument("x"), name=f"{name}/Mul")
    body.returns(body.loop(*inner, product)[0] if inner else product)
    return (cond, body), product


def test_a_loop_in_a_loop() -> None:
    trace = TraceBuilder()
    inner, deep = looped(trace, "inner")
    outer, product = looped(trace, "outer", inner)
    f = trace.function("f")
    x = f.argument("x")
    f.returns(*f.loop(*outer, x))
    run = trace.run(f)
    alone = run.event(x, [1.0])
    events = []
    for k in range(2):
        run.event(product, [2.0], path="while/body/_2", frame=5, iteration=k)
        events += [
            run.event(deep, [2.0], path="while/body/_2/while/body/_5", frame=10 + k, iteration=j) for j in range(3)
        ]
    values = located(trace)
    assert iterations_around(values, alone) == []
    numbers = [[number for _, number in iterations_around(values, each)] for each in events]
    assert numbers == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
