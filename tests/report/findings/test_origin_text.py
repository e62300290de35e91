"""Single phrases of the report of one origin."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tensordbg.analysis.finding import Origin, SourceLine, Verdict
from tensordbg.analysis.why import why, why_of_run
from tensordbg.report.findings.origin_text import headline, moment_of, origin_line, origin_text, spread_of
from tests.analysis.builder import TraceBuilder, inf, nan
from tests.analysis.workers import RECEIVED, SENT, steps, worker
from tests.report.rendering import rendered
from tests.report.reports import training


def origin_of(values: object, **verdict: str) -> Origin:
    trace = TraceBuilder()
    f = trace.function("f")
    log = f.op("Log")
    trace.run(f).event(log, values)
    (origin,) = why(trace).origins
    return replace(origin, verdict=Verdict(verdict.get("cause", "unknown"), "", ""))


@pytest.mark.parametrize(
    ("values", "what"),
    [
        (-inf, "produced the first -inf"),
        ([inf, 1.0], "produced the first +inf: 1 of 2 elements"),
        ([nan, inf, -inf, 1.0], "produced the first NaN and -inf and +inf: 3 of 4 elements"),
    ],
)
def test_headline_says_what(values: object, what: str) -> None:
    assert str(headline(origin_of(values))) == f"Log:0 in f() {what}"


@pytest.mark.parametrize(
    ("cause", "verb"), [("bad_input_data", "came in with"), ("bad_variable", "held"), ("non_finite_constant", "holds")]
)
def test_headline_of_what_was_given(cause: str, verb: str) -> None:
    assert str(headline(origin_of(nan, cause=cause))) == f"Log:0 in f() {verb} the first NaN"


def test_no_function() -> None:
    origin = origin_of(nan)
    assert str(headline(replace(origin, view=replace(origin.view, function="<module>")))).startswith("Log:0 produced")


def test_the_function_of_a_library_is_not_named_but_the_users_that_made_it() -> None:
    own = SourceLine("/code/train.py", 10, "cross_entropy", True, "log(p)")
    keras = SourceLine("/site-packages/keras/trainer.py", 7, "f", False, "")
    module = replace(own, function="<module>")
    origin = replace(origin_of(nan), source=own, stack=(keras, own))
    assert str(headline(origin)) == "Log:0 in cross_entropy() produced the first NaN"
    assert str(headline(replace(origin, stack=(keras, replace(own, function="f"), own)))).startswith("Log:0 in f() ")
    assert str(headline(replace(origin, source=module, stack=(keras, module)))).startswith("Log:0 in f() ")


def test_moment() -> None:
    view = origin_of(nan).view
    assert moment_of(view) == "in step 0"
    assert moment_of(replace(view, iteration=3)) == "in step 0, iteration 3"
    assert moment_of(replace(view, step=-1)) == "outside any step"


def test_a_line_for_each_further_origin() -> None:
    harmless = why(training()).origins[-1]
    assert str(origin_line(harmless)) == "  Dropped:0 in step 0 (train.py:9): division_by_zero, 5 times"
    assert str(origin_line(replace(harmless, occurrences=1, source=None))) == "  Dropped:0 in step 0: division_by_zero"


def test_without_source_without_past_and_without_inputs() -> None:
    lines = rendered(origin_text(replace(origin_of(nan), source=None)))
    assert lines[1].startswith("in step 0, Log float32[]")
    assert "died out at once; it reached nothing that matters" in "\n".join(lines)


def test_how_often() -> None:
    lines = rendered(origin_text(replace(origin_of(nan), occurrences=12)))
    assert "again   happened 12 times in all" in lines


def test_how_it_came_to_other_processes() -> None:
    processes = {name: worker(steps(RECEIVED), size=7) for name in "abcdef"}
    (origin,) = why_of_run({**processes, "g": worker(steps(SENT), size=7)}).origins
    lines = [" ".join(line.split()) for line in rendered(origin_text(origin), width=300)]
    assert lines[0] == "gradient_tape/Reciprocal:0 in train_step() of g produced the first NaN: 1 of 2 elements"
    first = next(line for line in lines if line.startswith("then"))
    assert first.startswith("then came from g to a in step 0 by the all-reduce CollectiveReduceV2:0 (train.py:")
    assert first.endswith("; there it reached the program's results, no other tensor is not finite")
    assert len([line for line in lines if line.startswith("then")]) == 4
    assert "came to 2 more processes; --json tells all" in lines
    assert origin_line(origin).plain.startswith("  g: gradient_tape/Reciprocal:0 in step 0")


def test_a_process_alone_received_it() -> None:
    (origin,) = why(worker(steps(RECEIVED))).origins
    assert headline(origin).plain == "CollectiveReduceV2:0 in train_step() received the first NaN: 1 of 2 elements"


def test_where_eager_code_read_it() -> None:
    read = replace(
        origin_of(nan), reaches=("output",), read_at=SourceLine("/home/me/train.py", 7, "main", True, "print(x)")
    )
    assert spread_of(read).startswith("reached the program's results (read at train.py:7); ")
    assert "read at" not in spread_of(replace(read, reaches=("loss",)))
