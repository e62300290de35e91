"""`tdbg functions`: lists the functions of a program and what each was traced for."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import Form, TraceChoice, forms_of_listing, trace_argument


@click.command("functions")
@trace_argument
@forms_of_listing
def command(trace: TraceChoice, form: Form) -> None:
    """List the traced functions of a program, each trace with the arguments that it was made for.

    TRACE is a trace, or a folder of traces, whose newest is meant; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_csv, print_json, print_note, print_rich, reading

    with reading(trace) as reader:
        from tensordbg.analysis.graphs.functions import list_functions

        functions = list_functions(reader)
    if form is Form.JSON:
        from tensordbg.wire.functions import functions_to_json

        print_json(functions_to_json(functions))
    elif form is Form.CSV:
        from tensordbg.wire.csv_tables import functions_to_csv

        print_csv(functions_to_csv(functions))
    elif not functions:
        print_note("no function was traced")
    else:
        from tensordbg.report.graphs.functions import functions_text

        print_rich(functions_text(functions))
