from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tensordbg.analysis.finding import Arrival, Decided, EndedLoop, ForwardOperation, SourceLine
from tensordbg.analysis.view.findings.listing import all_findings
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.why import why
from tensordbg.trace.reader import open_trace
from tensordbg.wire.view.findings import findings_view
from tensordbg.wire.why import why_to_json


def test_says_what_why_says(sample: Path) -> None:
    opened = OpenedTrace(open_trace(sample))
    result = why(opened)
    said = why_to_json(result)
    view = findings_view(all_findings(result, {"": opened}), 77)
    assert (view.revision, view.status) == (77, said["status"])
    assert (view.tensor_events, view.non_finite_events) == (said["tensor_events"], said["non_finite_events"])
    (finding,), (origin,) = view.findings, said["origins"]
    for name in ("cause", "explanation", "suggestion", "function", "step", "iteration", "occurrences"):
        assert getattr(finding, name) == origin[name], name
    assert finding.event is not None
    assert (finding.number, finding.kind, finding.event.event) == (0, "origin", origin["event"])
    assert finding.spread is not None
    assert (finding.spread.tensors, list(finding.spread.reaches)) == (origin["propagated"], origin["reaches"])
    assert [each.event for each in finding.spread.first] == [each["event"] for each in origin["spread"]]
    assert [row.row and row.row.event for row in finding.inputs] == [each["event"] for each in origin["inputs"]]
    assert finding.source is not None
    assert finding.source.line == origin["source"]["line"]
    assert bool(finding.harmless_because) is (finding.level == "harmless")


def test_way_into_other_processes_and_forward_operation(sample: Path) -> None:
    opened = OpenedTrace(open_trace(sample))
    result = why(opened)
    (origin,) = result.origins
    arrival = Arrival("worker 1", "worker 0", "all-reduce", origin.view, origin.source, ("loss",), 3)
    forward = ForwardOperation("Exp:0", None, is_origin=False)
    origin = replace(origin, arrivals=(arrival,), gradient_of=forward)
    (finding,) = findings_view(all_findings(replace(result, origins=(origin,)), {"": opened}), 1).findings
    assert finding.gradient_of == "Exp:0"
    (came,) = finding.arrivals
    assert (came.process, came.sender, came.kind, came.event, came.tensor) == (
        "worker 1", "worker 0", "all-reduce", 9, "Log:0",
    )  # fmt: skip


def test_what_it_decided(sample: Path) -> None:
    opened = OpenedTrace(open_trace(sample))
    result = why(opened)
    (origin,) = result.origins
    source = SourceLine("/code/train.py", 7, "main", True, "if loss < best:")
    ended = EndedLoop("Less:0", source, 3, 9)
    branch = Decided("branch", "Less_1:0", None, 4, None, "then")
    origin = replace(origin, ended=(ended,), decided=(branch,))
    (finding,) = findings_view(all_findings(replace(result, origins=(origin,)), {"": opened}), 1).findings
    loop, other = finding.decided
    assert (loop.what, loop.step, loop.iteration, loop.source and loop.source.line) == ("loop", 3, 9, 7)
    assert loop.text == (
        "the loop of `if loss < best:` (train.py:7) in step 3, iteration 9: nothing compares with NaN, so it took no"
        " further iteration"
    )
    assert (other.what, other.step, other.iteration, other.source) == ("branch", 4, None, None)
    assert other.text == "which branch ran, Less_1:0 in step 4: Less_1:0 was given a NaN, and the then branch ran"
