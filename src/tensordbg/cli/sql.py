"""`tdbg sql`: asks the tables of a trace a question."""

from __future__ import annotations

import click

from tensordbg.cli.arguments import json_option, trace_and


@click.command("sql")
@trace_and("QUERY")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
def command(trace_and_rest: tuple[str, str], as_json: bool, as_csv: bool) -> None:
    """Ask a trace a question in SQL.

    TRACE is a trace, or a folder of traces, whose newest is meant; by default tdbg-traces. QUERY is SQL as DuckDB has
    it, over the tables of a trace and the view `events`.
    """
    from tensordbg.cli.output import print_json, print_rich, print_text, reading

    trace, query = trace_and_rest
    with reading(trace) as reader:
        from tensordbg.analysis.query import sql

        table = sql(reader, query)
    from tensordbg.report import rows

    if as_json:
        print_json(rows.as_objects(table))
    elif as_csv:
        print_text(rows.as_csv(table))
    else:
        print_rich(rows.as_table(table))
