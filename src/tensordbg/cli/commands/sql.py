"""`tdbg sql`: asks the tables of a trace a question."""

from __future__ import annotations

import click

from tensordbg.analysis.query_limits import Limits
from tensordbg.cli.arguments import TraceChoice, json_option, trace_and


@click.command("sql")
@trace_and("QUERY")
@json_option
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option(
    "--time-limit",
    "seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=Limits.seconds,
    show_default=True,
    metavar="SECONDS",
    help="Give the query up after so long.",
)
def command(trace_and_rest: tuple[TraceChoice, str], as_json: bool, as_csv: bool, seconds: float) -> None:
    """Ask a trace a question in SQL.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    QUERY is SQL as DuckDB has it, over the tables of a trace and the view `events`.
    """
    from tensordbg.cli.output import print_json, print_rich, print_text, reading_run

    trace, query = trace_and_rest
    with reading_run(trace) as processes:
        from tensordbg.analysis.query import sql_of_run

        table = sql_of_run(processes, query, Limits(seconds))
    from tensordbg.report import rows

    if as_json:
        print_json(rows.as_objects(table))
    elif as_csv:
        print_text(rows.as_csv(table))
    else:
        print_rich(rows.as_table(table))
