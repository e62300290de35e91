"""`tdbg show`: the history of one tensor."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import json_option, trace_and


@click.command("show")
@trace_and("NAME[:SLOT]")
@click.option("--function", default="", metavar="NAME", help="Only in functions of this name or pattern.")
@click.option("--limit", type=click.IntRange(min=0), default=50, show_default=True, help="At most so many; 0 for all.")
@json_option
def command(trace_and_rest: tuple[str, str], function: str, limit: int, as_json: bool) -> None:
    """Show one tensor over the steps and iterations.

    NAME is the name of an operation, SLOT which of its outputs, 0 by default. TRACE is a trace, or a folder of traces,
    whose newest is meant; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_json, print_rich, reading

    trace, tensor = trace_and_rest
    with reading(trace) as reader:
        from tensordbg.analysis.show import history_of

        history = history_of(reader, tensor, function, limit)
    if as_json:
        from tensordbg.wire.show import history_to_json

        print_json(history_to_json(history))
    else:
        from tensordbg.report.show import history_text

        print_rich(history_text(history))
