"""Numbers that the program read and computed with again are what they were."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.why import why
from tensordbg.trace.program.facts import End, Reads, TraceFacts
from tests.analysis.builder import TraceBuilder, inf, nan

FACTS = TraceFacts(end=End(0))


def causes(loss: float, written: float, *, op_type: str = "Number", read: bool = True) -> tuple[str, ...]:
    """The causes of all origins where a loss was read, or not, and a number is added to a total after that."""
    trace = TraceBuilder()
    trace.facts = replace(FACTS, reads=Reads(values=((2, 0, -1),) if read else ()))
    trace.eager("Log", trace.output(trace.eager("Input", values=0.0)), values=loss)
    number = trace.eager(op_type, values=written, framework="torch" if op_type == "Number" else "")
    trace.eager("AddV2", trace.output(number), values=written)
    return tuple(origin.cause for origin in why(trace).origins)


@pytest.mark.parametrize("op_type", ["Number", "Input"])
@pytest.mark.parametrize("number", [inf, -inf, nan])
def test_a_number_that_was_read_is_what_it_was(op_type: str, number: float) -> None:
    assert len(causes(number, number, op_type=op_type)) == 1


def test_another_number_is_the_programs_own() -> None:
    assert causes(-inf, inf) == ("log_of_zero", "non_finite_constant")


def test_what_nobody_read_can_not_come_back() -> None:
    assert causes(-inf, -inf, read=False)[-1] == "non_finite_constant"
