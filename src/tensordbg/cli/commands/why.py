"""`tdbg why`: names the operation where the numbers went wrong, and says why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tensordbg.cli.arguments import TraceChoice, engine_option, json_option, trace_argument
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.analysis.finding import WhyResult
    from tensordbg.analysis.spread import RunAnswer


@click.command("why")
@trace_argument
@json_option
@click.option("--sarif", is_flag=True, help="Print SARIF 2.1.0, so that a code host shows the findings at their lines.")
@click.option("--exit-code", is_flag=True, help="End with code 1 if a number that matters was not finite, for CI.")
@engine_option
def command(trace: TraceChoice, as_json: bool, sarif: bool, exit_code: bool, engine: str | None) -> int:
    """Say where and why the numbers of a trace went wrong.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    """
    if as_json and sarif:
        raise UsageError("--json and --sarif are two forms of one answer; give one of them")
    answer = _read_here(trace) if engine is None else _read_by(engine, trace)
    _print(answer.result, "json" if as_json else "sarif" if sarif else "text")
    return _code(answer, trace) if exit_code else 0


def _read_here(trace: TraceChoice) -> RunAnswer:
    from tensordbg.cli.output import reading_run

    with reading_run(trace) as processes:
        from tensordbg.analysis.spread import RunAnswer
        from tensordbg.analysis.why import why_of_run

        return RunAnswer(why_of_run(processes))


def _read_by(address: str, trace: TraceChoice) -> RunAnswer:
    """The answer of a cluster's workers; they open the traces at the places where they lie here, or by address."""
    from tensordbg.cli.output import locations_of_run, working

    with working(f"reading {trace.path} by {address}"):
        from tensordbg.analysis.spread import why_by_engine
        from tensordbg.engines.opened import opened_engine

        locations = locations_of_run(trace)
        with opened_engine(address) as engine:
            return why_by_engine(engine, locations)


def _print(result: WhyResult, form: str) -> None:
    from tensordbg.cli.output import print_json, print_rich

    if form == "json":
        from tensordbg.wire.why import why_to_json

        print_json(why_to_json(result))
    elif form == "sarif":
        from tensordbg.wire.sarif import why_to_sarif

        print_json(why_to_sarif(result, Path.cwd()))
    else:
        from tensordbg.report.findings.why_text import why_text

        print_rich(why_text(result))


def _code(answer: RunAnswer, trace: TraceChoice) -> int:
    """1 if something went wrong that matters.

    Raises:
        UsageError: If the trace can't tell, so that a recording without numbers is not taken for a good one.
    """
    result = answer.result
    if not result.measured:
        raise UsageError(
            f"{trace.path}: --exit-code needs the health of tensors, which was not recorded; use --detail health"
        )
    went_wrong = any(origin.consequential for origin in result.origins)
    if not result.origins:
        went_wrong = result.status == "non_finite"
    if answer.unread and not went_wrong:
        raise UsageError(f"{trace.path}: --exit-code needs all traces, and {', '.join(answer.unread)} was not read")
    return int(went_wrong)
