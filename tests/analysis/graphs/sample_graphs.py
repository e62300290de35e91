"""Functions built in memory, and graphs as TensorFlow could run them, for the tests of graphs."""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.program.call_tree import CallTree, call_tree
from tensordbg.analysis.program.description import read_program
from tensordbg.trace.graphs.graphdef import GraphDefNode
from tensordbg.trace.graphs.protobuf import bytes_field
from tests.analysis.builder import Graph, TraceBuilder

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


def tree_of(trace: TraceBuilder, graph: Graph, depth: int | None = None) -> CallTree:
    """A function with all that it calls."""
    program = read_program(trace)
    return call_tree(program, program.functions[graph.number], depth=depth)


def node(name: str, op_type: str, *inputs: str, device: str = CPU, parts: Sequence[str] = ()) -> GraphDefNode:
    """A running operation; `parts` are those that a fused one names."""
    attributes = {}
    if parts:
        attributes["fused_ops"] = bytes_field(1, b"".join(bytes_field(2, part) for part in parts))
    return GraphDefNode(name, op_type, inputs, device, attributes)


def nested() -> tuple[TraceBuilder, Graph]:
    """`outer` calls `inner` in the body of a loop, and a branch."""
    trace = TraceBuilder()
    inner = trace.function("inner")
    inner.outputs.append(inner.op("Sin", inner.argument("x")))
    cond, body = trace.function("outer", "cond_1"), trace.function("outer", "body_1")
    cond.outputs.append(cond.op("Less", cond.argument("i")))
    (result,) = body.call(inner, body.argument("i"), name="while/call")
    body.outputs.append(result)
    then, other = trace.function("outer", "then_1"), trace.function("outer", "else_1")
    then.outputs.append(then.op("Exp", then.argument("a")))
    other.outputs.append(other.op("Identity", other.argument("a")))
    outer = trace.function("outer")
    (looped,) = outer.loop(cond, body, outer.argument("x"))
    (chosen,) = outer.cond(then, other, outer.argument("pred"), looped)
    outer.outputs.append(outer.op("Neg", chosen))
    return trace, outer
