"""Values that left for Python and came back are what they were before, and no origins."""

from __future__ import annotations

from typing import Any

import pytest

from tensordbg.analysis.origins.find import find_origins
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.why import why
from tests.analysis.builder import Run, TraceBuilder, inf, located, names, nan

LEFT = [[1.0, -inf], [nan, 2.0], [3.0, 4.0]]


def logarithm(trace: TraceBuilder, values: Any = LEFT) -> Run:
    """An eager operation that is an origin, and whose result Python holds."""
    return trace.eager("Log", trace.output(trace.eager("Input", values=[1.0])), values=values)


def came_in(values: Any, made: float = nan) -> tuple[str, ...]:
    """The causes of all origins when a value comes in after the logarithm, and the sum that is made of it."""
    trace = TraceBuilder()
    logarithm(trace)
    trace.eager("Sum", trace.output(trace.eager("Input", values=values)), values=made)
    return tuple(origin.cause for origin in why(trace).origins)


def test_the_same_elements() -> None:
    assert came_in(LEFT) == came_in([1.0, -inf, nan, 2.0, 3.0, 4.0]) == ("unknown",)


def test_after_arithmetic_the_bad_ones_lie_where_they_were() -> None:
    assert came_in([[3.0, -inf], [nan, 5.0], [7.0, 9.0]]) == ("unknown",)


@pytest.mark.parametrize("part", [[nan, 2.0], [[nan, 2.0], [3.0, 4.0]], [[nan]], [*LEFT, [5.0, 6.0], [7.0, 8.0]]])
def test_what_was_cut_out_or_put_together_is_likely_of_it(part: Any) -> None:
    assert came_in(part) == ("unknown", "returned_from_python")


@pytest.mark.parametrize("other", [[1.0, 2.0, nan, 4.0], [[nan], [100.0]], nan])
def test_other_data_is_bad_by_itself(other: Any) -> None:
    assert came_in(other) == ("unknown", "bad_input_data")


def test_all_that_comes_of_it_is_of_the_first() -> None:
    trace = TraceBuilder()
    logarithm(trace)
    f = trace.function("step")
    x = f.argument("x")
    f.returns(double := f.op("Mul", x, x))
    for _ in range(2):
        run = trace.run(f, -1)
        run.event(double, [[2.0, -inf], [nan, 4.0], [6.0, 8.0]])  # recorded before the argument that it is made of
        run.event(x, LEFT)
    (origin,) = why(trace).origins
    assert (origin.view.tensor, origin.propagated, origin.reaches) == ("Log:0", 4, ("output",))


def test_what_came_in_before_is_the_origin() -> None:
    trace = TraceBuilder()
    data = trace.eager("Input", values=LEFT)
    trace.eager("Mul", trace.output(data), values=LEFT)
    again = trace.eager("Input", site=trace.events[0]["site"], values=LEFT)
    trace.eager("Mul", trace.output(again), values=LEFT)
    (origin,) = why(trace).origins
    assert (origin.cause, origin.occurrences) == ("bad_input_data", 2)


def test_the_same_data_at_another_line_is_one_trouble() -> None:
    trace = TraceBuilder()
    for _ in range(2):
        trace.eager("Mul", trace.output(trace.eager("Input", values=LEFT)), values=LEFT)
    assert names(why(trace)) == ["Input:0"]


def test_a_lone_infinity_is_one_that_is_written_down() -> None:
    trace = TraceBuilder()
    logarithm(trace, -inf)
    trace.eager("Sub", trace.output(trace.eager("Input", values=-inf)), values=nan)
    assert [origin.cause for origin in why(trace).origins] == ["unknown", "inf_minus_inf"]


def test_what_is_restored_is_what_the_variable_held() -> None:
    trace = TraceBuilder()
    w = trace.variable("w")
    f = trace.function("save")
    read = f.read(w)
    log = f.op("Log", f.argument("x"))
    f.write(w, log)
    trace.run(f).event(log, inf)
    trace.run(f).event(read, inf)
    restored = trace.eager("RestoreV2", values=inf)
    trace.eager("AssignVariableOp", trace.output(restored), dtypes=[], writes=[w])
    assert names(why(trace)) == ["Log:0"]


MASK = [[0.0, 0.0], [-inf, -inf]]
MASKED = [[0.5, 0.5], [nan, nan]]


def masked_softmax(trace: TraceBuilder) -> None:
    """A softmax over scores with a row that a mask from outside masks throughout."""
    mask = trace.eager("Input", values=MASK)
    scores = trace.eager("AddV2", trace.output(mask), values=[[1.0, 2.0], [-inf, -inf]])
    trace.eager("Softmax", trace.output(scores), values=MASKED)


def test_a_mask_given_again_did_not_come_back() -> None:
    trace = TraceBuilder()
    masked_softmax(trace)
    masked_softmax(trace)
    origins = why(trace).origins
    assert [origin.cause for origin in origins] == ["fully_masked_softmax"] * 2
    assert [origin.view.event for origin in origins] == [2, 5]


def test_a_mask_is_named_where_it_was_given_and_is_no_origin_anywhere() -> None:
    trace = TraceBuilder()
    harmless = trace.eager("Input", values=MASK)
    trace.eager("AddV2", trace.output(harmless), values=[[1.0, 2.0], [-inf, -inf]])
    masked_softmax(trace)
    found = find_origins(located(trace), Details(trace, read_program(trace)))
    assert found.masks == {4: 2}
    assert [origin.cause for origin in why(trace).origins] == ["fully_masked_softmax"]


@pytest.mark.parametrize("left", [[[nan, 1.0], [nan, 2.0]], [[3.0, -inf], [4.0, -inf]]])
def test_a_mask_is_not_made_of_numbers_nor_of_nan(left: Any) -> None:
    trace = TraceBuilder()
    logarithm(trace, left)
    mask = trace.eager("Input", values=[[-inf, 0.0], [-inf, 0.0]] if left[0][0] is nan else [[0.0, -inf], [0.0, -inf]])
    trace.eager("Mul", trace.output(mask), trace.output(trace.eager("Input", values=[0.0])), values=[[nan, 0.0]] * 2)
    assert [origin.cause for origin in why(trace).origins] == ["unknown", "zero_times_inf"]


def test_an_infinity_is_not_made_of_nan() -> None:
    trace = TraceBuilder()
    logarithm(trace, [1.0, nan])
    trace.eager("Sum", trace.output(trace.eager("Input", values=[2.0, inf])), values=inf)
    assert [origin.cause for origin in why(trace).origins] == ["unknown", "bad_input_data"]


def test_nan_may_be_made_of_an_infinity() -> None:
    trace = TraceBuilder()
    logarithm(trace, [1.0, inf])
    trace.eager("Sum", trace.output(trace.eager("Input", values=[2.0, nan])), values=nan)
    assert names(why(trace)) == ["Log:0"]


@pytest.mark.parametrize("mask", [[[-inf, -inf]], [[-inf, 0.0]]])
def test_a_mask_is_not_likely_cut_out_of_numbers(mask: Any) -> None:
    assert came_in(mask, -inf) == ("unknown", "bad_input_data")


def test_what_hands_on_what_came_in_is_not_what_came_back() -> None:
    trace = TraceBuilder()
    trace.eager("Identity", trace.output(trace.eager("Input", values=MASK)), values=MASK)
    trace.eager("Sum", trace.output(trace.eager("Input", values=[[-inf, -inf]])), values=-inf)
    assert [origin.cause for origin in why(trace).origins] == ["bad_input_data"] * 2


@pytest.mark.parametrize("order", [("Input", "StringToNumber"), ("StringToNumber", "Input")])
def test_an_infinity_that_was_read_from_a_text_is_none_that_was_written_down(order: tuple[str, str]) -> None:
    trace = TraceBuilder()
    for op_type in order:
        trace.eager("Sum", trace.output(trace.eager(op_type, values=[inf])), values=inf)
    assert [(origin.view.op_type, origin.cause) for origin in why(trace).origins] == [
        (op_type, "bad_input_data") for op_type in order
    ]


def test_rows_with_nan_in_the_same_column_are_more_of_the_same_data() -> None:
    """What was computed of the first may have as many columns, as the gradients of weights have."""
    trace = TraceBuilder()
    given = trace.output(trace.eager("Input", values=[[1.0, nan], [2.0, nan], [3.0, nan], [4.0, nan]]))
    trace.eager("MatMul", given, given, values=[[nan, nan], [nan, nan]])
    trace.eager("Sum", trace.output(trace.eager("Input", values=[[9.0, nan], [7.0, nan]])), values=nan)
    assert {origin.cause for origin in why(trace).origins} == {"bad_input_data"}
    trace.eager("Sum", trace.output(trace.eager("Input", values=[[nan, 8.0], [nan, 6.0]])), values=nan)
    assert [origin.cause for origin in why(trace).origins][-1] == "returned_from_python"


@pytest.mark.parametrize(
    ("op_type", "came", "cause"),
    [
        ("aten::fill_", [[1.0, nan], [2.0, 3.0]], "returned_from_python"),
        ("aten::fill_", [[nan, nan], [2.0, 3.0]], "bad_input_data"),
        ("aten::log_", [[1.0, nan], [2.0, 3.0]], "bad_input_data"),
    ],
)
def test_what_was_written_into_a_part_may_have_come_back_with_the_whole(op_type: str, came: Any, cause: str) -> None:
    trace = TraceBuilder()
    number = trace.eager("Number", values=nan, framework="torch")
    trace.eager(op_type, trace.output(number), values=nan, framework="torch")
    trace.eager("aten::sum", trace.output(trace.eager("Input", values=came)), values=nan, framework="torch")
    assert [origin.cause for origin in why(trace).origins][-1] == cause
