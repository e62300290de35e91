"""`tdbg why`: names the operation where the numbers went wrong, and says why."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import TraceChoice, json_option, trace_argument


@click.command("why")
@trace_argument
@json_option
def command(trace: TraceChoice, as_json: bool) -> None:
    """Say where and why the numbers of a trace went wrong.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_json, print_rich, reading_run

    with reading_run(trace) as processes:
        from tensordbg.analysis.why import why_of_run

        result = why_of_run(processes)
    if as_json:
        from tensordbg.wire.why import why_to_json

        print_json(why_to_json(result))
    else:
        from tensordbg.report.why_text import why_text

        print_rich(why_text(result))
