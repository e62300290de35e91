"""The tables of the report of one origin."""

from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.why import why
from tensordbg.report.findings.origin_tables import health_table, past_tables
from tests.analysis.builder import TraceBuilder, inf
from tests.report.rendering import rendered
from tests.report.reports import training


def test_counts_that_are_zero_throughout_are_left_out() -> None:
    header, out, given = rendered(health_table(why(training()).origins[0]))
    assert header.split() == ["tensor", "type", "min", "mean", "max", "std", "zeros", "-inf"]
    assert out.split()[:2] == ["out", "Log:0"]
    assert given.split()[:2] == ["in", "probs:0"]


def test_an_input_that_was_not_recorded() -> None:
    origin = why(training()).origins[0]
    origin = replace(origin, inputs=(replace(origin.inputs[0], recorded=None),))
    assert "not recorded" in rendered(health_table(origin))[-1]


def test_the_last_steps() -> None:
    origin = why(training()).origins[0]
    long = replace(origin.history[0], past=origin.history[0].past * 4)
    table = past_tables(replace(origin, history=(long,)))
    assert table is not None
    lines = rendered(table)
    assert lines[0] == "Log:0 before"
    assert len(lines) == 2 + 5


def test_turns_of_a_loop() -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    run = trace.run(f)
    for turn, value in enumerate([1.0, 2.0, inf]):
        run.event(x, [value], frame=3, iteration=turn)
    table = past_tables(why(trace).origins[0])
    assert table is not None
    assert [line.split() for line in rendered(table)[1:]] == [
        ["iteration", "min", "max"],
        ["0", "1", "1"],
        ["1", "2", "2"],
    ]


def test_no_past() -> None:
    origin = why(training()).origins[0]
    assert past_tables(replace(origin, history=())) is None
