"""Operations that compute the same, of which the runtime ran one."""

from __future__ import annotations

import pytest

from tensordbg.analysis.why import why
from tensordbg.model import TensorRef
from tests.analysis.builder import Graph, TraceBuilder, inf, names, nan


def logarithms(trace: TraceBuilder, kind: str) -> tuple[Graph, list[TensorRef]]:
    """A graph with two logarithms of `x * 2`, as far as `kind` does not make them differ."""
    f = trace.function("f")
    x = f.argument("x")
    two = f.op("Const", attributes='{"value": 2.0}', name="two")
    other = f.op("Const", attributes='{"value": 3.0}' if kind == "constant" else '{"value": 2.0}', name="other")
    products = [f.op("Mul", x, two, name="first"), f.op("Mul", x, other, name="second")]
    noise = '{"seed": 0}'
    chances = [f.op("RandomUniform", two, name=name, attributes=noise) for name in ("chance", "other_chance")]
    given = [f.op("Add", *pair) for pair in zip(products, chances, strict=True)] if kind == "random" else products
    notes = '{"differentiated": [0], "python_names": [["y"]]}' if kind == "noted" else "{}"
    logs = [f.op("Log", given[0], name="log"), f.op("Log", given[1], name="log_again", attributes=notes)]
    results = [f.op("Mul", x, log, name=name) for log, name in zip(logs, ("result", "other_result"), strict=True)]
    f.returns(*results)
    return f, [x, given[0], logs[0], *results]


@pytest.mark.parametrize(("kind", "others"), [("same", 0), ("noted", 0), ("constant", 1), ("random", 1)])
def test_the_one_that_ran_speaks_for_the_other(kind: str, others: int) -> None:
    """Where the two may differ, what was made of the one without events is an origin of its own."""
    trace = TraceBuilder()
    f, (x, product, log, *results) = logarithms(trace, kind)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(product, [0.0])
    run.event(log, [-inf])
    for result in results:
        run.event(result, [nan])
    origins = why(trace).origins
    assert names(why(trace)) == ["log:0", *["other_result:0"] * others]
    assert origins[0].propagated == 2 - others


def test_both_speak_for_themselves_where_both_ran() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    first, second = f.op("Log", x, name="first"), f.op("Log", x, name="second")
    root = f.op("Sqrt", second, name="root")
    f.returns(first, root)
    run = trace.run(f)
    run.event(x, [0.0])
    run.event(first, [-inf])
    run.event(second, [-inf])
    run.event(root, [nan])
    assert [each.tensor for each in why(trace).origins[0].also] == []
    assert names(why(trace)) == ["first:0", "second:0"]
