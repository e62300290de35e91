"""`tdbg why`: names the operation where the numbers went wrong, and says why."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import json_option, trace_argument


@click.command("why")
@trace_argument
@json_option
def command(trace: str, as_json: bool) -> None:
    """Say where and why the numbers of a trace went wrong.

    TRACE is a trace, or a folder of traces, whose newest is meant; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_json, print_rich, reading

    with reading(trace) as reader:
        from tensordbg.analysis.why import why

        result = why(reader)
    if as_json:
        from tensordbg.wire.why import why_to_json

        print_json(why_to_json(result))
    else:
        from tensordbg.report.why_text import why_text

        print_rich(why_text(result))
