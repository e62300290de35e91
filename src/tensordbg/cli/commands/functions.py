"""`tdbg functions`: lists the functions of a program and what each was traced for."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import TraceChoice, json_option, trace_argument


@click.command("functions")
@trace_argument
@json_option
def command(trace: TraceChoice, as_json: bool) -> None:
    """List the traced functions of a program, each trace with the arguments that it was made for.

    TRACE is a trace, or a folder of traces, whose newest is meant; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_json, print_note, print_rich, reading

    with reading(trace) as reader:
        from tensordbg.analysis.graphs.functions import list_functions

        functions = list_functions(reader)
    if as_json:
        from tensordbg.wire.functions import functions_to_json

        print_json(functions_to_json(functions))
    elif not functions:
        print_note("no function was traced")
    else:
        from tensordbg.report.functions import functions_text

        print_rich(functions_text(functions))
