from __future__ import annotations

from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.operands import is_eager, operands
from tensordbg.model import NONE
from tests.analysis.builder import TraceBuilder, located


def test_inputs_of_an_operation_in_a_graph_without_handles_of_variables() -> None:
    trace = TraceBuilder()
    step = trace.function("step")
    x, handle = step.argument("x"), step.argument("handle", dtype="resource", variable=0)
    total = step.op("AddN", x, handle, x)
    trace.run(step).event(total, [1.0])
    values = located(trace)
    invocation = int(values.invocation[0])
    flow = Flow(values, values.ports.inputs)
    found = list(operands(flow, values.program.sites[total.site], invocation))
    assert [(each.position, each.tensor, each.op_type) for each in found] == [
        (0, "x:0", "Placeholder"),
        (2, "x:0", "Placeholder"),
    ]
    assert {each.invocation for each in found} == {invocation}
    assert not is_eager(flow, invocation)


def test_inputs_of_an_eager_operation_are_what_other_executions_made() -> None:
    trace = TraceBuilder()
    first = trace.eager("Exp", values=[1.0])
    second = trace.eager("Mul", NONE, trace.output(first), values=[2.0])
    values = located(trace)
    flow = Flow(values, values.ports.inputs)
    row = second.number - 1
    assert is_eager(flow, row)
    site = values.program.sites[int(values.executions.site[row])]
    # What made the first input is not known.
    assert [(each.position, each.tensor, each.invocation) for each in operands(flow, site, row)] == [
        (1, "Exp:0", first.number - 1)
    ]
