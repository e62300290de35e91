"""What one should know of a trace is said with the answer."""

from __future__ import annotations

import pyarrow as pa

from tensordbg.analysis.origins.notes import trace_notes
from tensordbg.analysis.why import why
from tensordbg.report.findings.why_text import render
from tensordbg.trace.program.facts import End, TraceFacts
from tensordbg.trace.program.metadata import AS_TOLD
from tensordbg.wire.why import why_to_json
from tests.analysis.builder import TraceBuilder


def test_a_sound_trace_has_none() -> None:
    assert trace_notes(TraceBuilder()) == ()


def test_warnings_of_the_recording() -> None:
    trace = TraceBuilder()
    trace.facts = TraceFacts(warnings=("recording stopped early: no space",), end=End(0))
    result = why(trace)
    assert result.notes == ("recording stopped early: no space",)
    assert why_to_json(result)["notes"] == ["recording stopped early: no space"]
    assert "note: recording stopped early: no space" in render(result)


def test_a_program_that_did_not_end() -> None:
    trace = TraceBuilder()
    trace.facts = TraceFacts()
    assert trace_notes(trace) == ("the program runs still, or was killed; its last step may be there in part only",)


def test_a_trace_that_keeps_only_its_last_events() -> None:
    trace = TraceBuilder()
    trace.facts = TraceFacts(end=End(0), last=1000)
    assert trace_notes(trace) == ()
    trace.facts = TraceFacts(end=End(0), last=1000, overwritten=12_345)
    assert trace_notes(trace) == (
        (
            "only the last 1,000 executions and the last 1,000 tensors of functions were kept; "
            "12,345 records from before them are gone"
        ),
    )


def test_a_trace_of_which_parts_were_forgotten() -> None:
    trace = TraceBuilder()
    trace.facts = TraceFacts(end=End(0), last=AS_TOLD, overwritten=12_345)
    assert trace_notes(trace) == (
        "12,345 records of runs at which nothing stopped are gone, so that the trace does not grow with them",
    )


def test_functions_that_were_changed_are_named_together() -> None:
    trace = TraceBuilder()
    for name in ("f", "g", "h"):
        trace.function(name)
    table = trace.table("functions")
    notes = pa.array([["without XLA"], [], ["without XLA"]], type=table.schema.field("notes").type)
    trace.given["functions"] = table.set_column(table.schema.get_field_index("notes"), "notes", notes)
    assert trace_notes(trace) == ("f, h: without XLA",)
