from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.finding import Alert, ProgramFailure, WhyResult
from tensordbg.analysis.view.findings.listing import all_findings
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.why import why, why_of_run
from tensordbg.trace.reader import TraceReader
from tests.analysis.view.loop_trace import loop_trace


def test_origin_with_rows(opened: OpenedTrace) -> None:
    result = why(opened)
    everything = all_findings(result, {"": opened})
    (origin,) = result.origins
    (found,) = everything.found
    assert found.origin is origin
    assert found.row is not None
    assert (found.row.event, found.row.tensor) == (origin.view.event, "Log:0")
    assert (found.kind, found.cause, found.process) == ("origin", origin.cause, "")
    assert found.level == ("trouble" if origin.consequential else "harmless")
    assert [each.row and each.row.event for each in found.inputs] == [8]
    assert everything.summary.startswith("1 of 12 recorded tensors is not finite. ")


def test_what_matters_comes_first() -> None:
    opened = loop_trace().opened
    result = why(opened)
    (origin,) = result.origins
    harmless = replace(origin, allowed="a rule", reaches=("loss",))
    alert = Alert("placement", "step", "y:0", None, "slow", "faster")
    trouble = replace(origin, reaches=("loss",))
    everything = all_findings(replace(result, origins=(harmless, trouble), alerts=(alert,)), {"": opened})
    assert [each.level for each in everything.found] == ["trouble", "note", "harmless"]
    assert everything.found[1].row is not None
    assert everything.found[1].row.tensor == "y:0"
    assert "The trouble started at 1 place." in everything.summary


def test_alert_on_a_function_has_no_tensor() -> None:
    opened = loop_trace().opened
    result = WhyResult(5, 0, 1, True, alerts=(Alert("retracing", "step", "", None, "often", "less"),))
    (found,) = all_findings(result, {"": opened}).found
    assert (found.row, found.title, found.stack) == (None, "Retracing: step", ())


def test_summaries() -> None:
    opened = loop_trace().opened
    said = {
        WhyResult(5, 0, 1, True): "All 5 tensors were finite.",
        WhyResult(0, 0, 0, True): "No tensor was recorded.",
        WhyResult(5, 0, 1, False): "The values of tensors were not recorded; run with --detail health to know more.",
        WhyResult(5, 2, 1, True): "2 of 5 recorded tensors are not finite. Nothing came of it.",
    }
    assert {result: all_findings(result, {"": opened}).summary for result in said} == said


def test_an_error_is_named_by_its_title_and_told_below() -> None:
    opened = loop_trace().opened
    failure = ProgramFailure("ValueError", "bad shapes", "Add", "Add", "", 0, None, (), ())
    everything = all_findings(WhyResult(5, 0, 1, True, failures=(failure,)), {"": opened})
    (found,) = everything.found
    assert (found.title, found.explanation) == ("ValueError in Add", "bad shapes")
    assert everything.summary == "The program ended with an error. All 5 tensors were finite."
    failures = (replace(failure, process="worker 0"), replace(failure, process="worker 1"))
    opened_two = {"worker 0": opened, "worker 1": opened}
    summary = all_findings(WhyResult(5, 0, 1, True, failures=failures), opened_two).summary
    assert summary.startswith("2 processes ended with an error. ")


def test_each_names_its_process(run_readers: dict[str, TraceReader]) -> None:
    opened = {name: OpenedTrace(reader) for name, reader in run_readers.items()}
    everything = all_findings(why_of_run(opened), opened)
    assert [each.process for each in everything.found if each.kind == "origin"] == ["worker 0", "worker 1"]
