from __future__ import annotations

from tensordbg.analysis.view.event.neighbours import Neighbour, find_consumers, find_inputs, with_rows
from tests.analysis.builder import TraceBuilder
from tests.analysis.view.built import opened_builder
from tests.analysis.view.loop_trace import LoopTrace, loop_trace


def inputs(trace: LoopTrace, step: int, name: str) -> list[Neighbour]:
    return find_inputs(trace.opened, trace.of(step, name))


def consumers(trace: LoopTrace, step: int, name: str) -> list[Neighbour]:
    return find_consumers(trace.opened, trace.of(step, name))


def test_input_of_a_function_is_what_eager_code_made() -> None:
    trace = loop_trace()
    assert inputs(trace, 1, "y") == [Neighbour(0, "x:0", "Placeholder", trace.of(1, "given"))]


def test_input_in_a_loop_is_from_outside_or_from_the_turn_before() -> None:
    trace = loop_trace()
    assert inputs(trace, 1, "exp0") == [Neighbour(0, "inside:0", "Placeholder", trace.of(1, "y"))]
    assert inputs(trace, 1, "exp2") == [Neighbour(0, "inside:0", "Placeholder", trace.of(1, "exp1"))]


def test_result_of_a_loop_is_that_of_its_last_turn() -> None:
    trace = loop_trace()
    assert [(each.slot, each.event) for each in inputs(trace, 0, "doubled")] == [
        (0, trace.of(0, "exp2")),
        (1, trace.of(0, "exp2")),
    ]


def test_input_of_eager_code_is_what_a_function_returned() -> None:
    trace = loop_trace()
    assert [each.event for each in inputs(trace, 1, "neg")] == [trace.of(1, "doubled")]


def test_consumers_in_the_graph_and_in_later_executions() -> None:
    trace = loop_trace()
    (loop,) = consumers(trace, 1, "y")
    assert (loop.tensor, loop.op_type, loop.event) == ("while", "StatelessWhile", trace.of(1, "exp2"))
    assert consumers(trace, 1, "given")[0].op_type == "function"
    found = consumers(trace, 1, "doubled")
    assert [(each.tensor, each.event) for each in found if each.op_type == "Neg"] == [("Neg", trace.of(1, "neg"))]


def test_identities_without_events_are_seen_through() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.op("Exp")
    first, second = f.op("Identity", x), f.op("Reshape", x)
    log, square = f.op("Log", first), f.op("Square", second)
    run = trace.run(f)
    run.event(x, [1.0])
    run.event(log, [1.0])
    found = find_consumers(opened_builder(trace), 0)
    assert sorted((each.tensor, each.event) for each in found) == [("Log", 1), ("Square", None)]


def test_rows_are_put_to_their_events() -> None:
    trace = loop_trace()
    found = with_rows(trace.opened, [Neighbour(0, "a", "A", trace.of(0, "y")), Neighbour(1, "b", "B", None)])
    assert [each.row and each.row.tensor for each in found] == ["y:0", None]
