from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.why import why
from tensordbg.model import NONE
from tensordbg.trace.program.facts import End, Reads, TraceFacts
from tests.analysis.builder import TraceBuilder, inf

ENDED = TraceFacts(end=End(9, exit_code=0))


def of_a_logarithm(facts: TraceFacts, consumer: str = "", given: float = -inf) -> tuple[tuple[str, ...], str]:
    """What becomes of the first eager value of a trace, and what excuses it."""
    trace = TraceBuilder()
    log = trace.eager("Log", values=[-inf])
    if consumer:
        trace.eager(consumer, trace.output(log), values=None if consumer == "PrintV2" else [given])
    trace.facts = facts
    origin = why(trace).origins[0]
    return origin.reaches, origin.caught


def test_a_value_that_nothing_read_is_no_result() -> None:
    assert of_a_logarithm(replace(ENDED, reads=Reads())) == ((), "nothing read it")


def test_one_that_was_read_is_one() -> None:
    assert of_a_logarithm(replace(ENDED, reads=Reads(values=((1, 0, NONE),)))) == (("output",), "")


def test_a_site_that_was_read_too_often_to_be_noted() -> None:
    assert of_a_logarithm(replace(ENDED, reads=Reads(always=((0, 0),)))) == (("output",), "")


@pytest.mark.parametrize(
    ("end", "reaches"),
    [(End(9, exit_code=0), ()), (End(9, signal="SIGTERM"), ()), (End(9), ("output",)), (None, ("output",))],
)
def test_what_is_held_may_be_read_once_the_recording_has_ended(end: End | None, reaches: tuple[str, ...]) -> None:
    facts = TraceFacts(end=end, reads=Reads(held=((1, 0),)))
    assert of_a_logarithm(facts)[0] == reaches


def test_without_a_note_of_what_was_read_all_is_a_result() -> None:
    assert of_a_logarithm(ENDED)[0] == ("output",)


@pytest.mark.parametrize("consumer", ["PrintV2", "IsFinite"])
def test_an_operation_that_shows_or_tests_it_counts_as_before(consumer: str) -> None:
    assert of_a_logarithm(replace(ENDED, reads=Reads()), consumer, 0.0)[0] == ("output",)


def test_a_value_is_a_result_though_it_was_masked_afterwards() -> None:
    assert of_a_logarithm(replace(ENDED, reads=Reads()), "SelectV2", 0.0) == ((), "")
    assert of_a_logarithm(replace(ENDED, reads=Reads(values=((1, 0, NONE),))), "SelectV2", 0.0) == (("output",), "")


def test_what_was_made_of_it_was_not_read_either() -> None:
    assert of_a_logarithm(replace(ENDED, reads=Reads()), "Exp", inf) == ((), "nothing read it")
    assert of_a_logarithm(replace(ENDED, reads=Reads(values=((2, 0, NONE),))), "Exp", inf) == (("output",), "")


def test_what_a_function_returns_is_a_result_whether_it_is_read_or_not() -> None:
    trace = TraceBuilder()
    function = trace.function("f")
    log = function.op("Log", function.argument("x"))
    function.returns(log)
    trace.run(function).event(log, [-inf])
    trace.facts = replace(ENDED, reads=Reads())
    assert why(trace).origins[0].reaches == ("output",)
