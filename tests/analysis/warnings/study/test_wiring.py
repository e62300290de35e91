"""What is made from what, into calls and out of them."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.events import read_executions
from tensordbg.analysis.program.ports import number_ports
from tensordbg.analysis.warnings.study.wiring import Wiring, wire
from tensordbg.model import TensorRef
from tests.analysis.builder import TraceBuilder


def wired(trace: TraceBuilder) -> Wiring:
    program = read_program(trace)
    sites = np.asarray(trace.table("tensors").column("site"), dtype=np.int64)
    ports = number_ports(program, sites, sites * 0)
    return wire(program, ports, read_executions(trace, program))


def behind(wiring: Wiring, ref: TensorRef) -> set[str]:
    """Names of all operations that an output is made from."""
    marked = np.zeros(len(wiring.ports.site), dtype=np.bool_)
    marked[wiring.ports.of(ref)] = True
    found = np.flatnonzero(wiring.ancestors(marked) & ~marked).tolist()
    return {site.name for site in map(wiring.site, found) if site is not None}


def test_within_a_graph() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    one = f.op("Tanh", x)
    two = f.op("Relu", one)
    f.op("Neg", x)
    wiring = wired(trace)
    assert behind(wiring, two) == {"x", "Tanh"}
    assert wiring.children(wiring.ports.of(one)) == [wiring.ports.of(two)]
    assert wiring.parents(wiring.ports.of(one)) == [wiring.ports.of(x)]


def test_identities_of_several_are_passed_one_by_one() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x, y = f.argument("x"), f.argument("y")
    both = f.op("IdentityN", x, y, dtypes=["float32", "float32"])
    last = f.op("Relu", TensorRef(both.site, 1))
    assert behind(wired(trace), last) == {"y", "IdentityN"}


def test_results_of_a_call_are_told_apart() -> None:
    trace = TraceBuilder()
    f, inner = trace.function("f"), trace.function("inner")
    a, b = inner.argument("a"), inner.argument("b")
    inner.returns(inner.op("Tanh", a), inner.op("Relu", b))
    x, y = f.argument("x"), f.argument("y")
    one, _ = f.call(inner, x, y)
    last = f.op("Neg", one)
    assert behind(wired(trace), last) == {"x", "a", "Tanh", "Identity", "PartitionedCall"}


def test_a_loop_gives_its_state_to_the_next_turn() -> None:
    trace = TraceBuilder()
    f, cond, body = trace.function("f"), trace.function("cond"), trace.function("body")
    cond.returns(cond.op("Less", cond.argument("c"), cond.argument("d"), dtype="bool"))
    state, other = body.argument("state"), body.argument("other")
    body.returns(body.op("Mul", state, other), other)
    x, y = f.argument("x"), f.argument("y")
    one, two = f.loop(cond, body, x, y)
    wiring = wired(trace)
    assert {"x", "y", "state", "other", "Mul"} <= behind(wiring, one)
    assert "x" not in behind(wiring, two)
    assert "Mul" in behind(wiring, state)


def test_between_executions() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x, y = f.argument("x"), f.argument("y")
    last = f.op("Neg", y)
    f.returns(last)
    for _ in range(3):
        one, two = trace.eager("Tanh", values=[1.0]), trace.eager("Relu", values=[1.0])
        run = trace.run(f, trace.output(one), trace.output(two))
        trace.eager("Sqrt", trace.output(run), values=[1.0])
    assert behind(wired(trace), last) == {"y", "Relu"}
    assert behind(wired(trace), x) == {"Tanh"}
    sqrt = next(row["site"] for row in trace.sites if row["op_type"] == "Sqrt")
    assert behind(wired(trace), TensorRef(sqrt, 0)) == {"y", "Neg", "Identity", "Relu"}
