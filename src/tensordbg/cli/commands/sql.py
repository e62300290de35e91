"""`tdbg sql`: asks the tables of a trace a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tensordbg.analysis.query_limits import Limits
from tensordbg.cli.arguments import TraceChoice, engine_option, json_option, trace_and

if TYPE_CHECKING:
    import pyarrow as pa


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
@engine_option
def command(
    trace_and_rest: tuple[TraceChoice, str], as_json: bool, as_csv: bool, seconds: float, engine: str | None
) -> None:
    """Ask a trace a question in SQL.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    QUERY is SQL as DuckDB has it, over the tables of a trace and the view `events`.
    """
    from tensordbg.cli.output import print_json, print_rich, print_text

    trace, query = trace_and_rest
    limits = Limits(seconds)
    table = _read_here(trace, query, limits) if engine is None else _read_by(engine, trace, query, limits)
    from tensordbg.report import rows

    if as_json:
        print_json(rows.as_objects(table))
    elif as_csv:
        print_text(rows.as_csv(table))
    else:
        print_rich(rows.as_table(table))


def _read_here(trace: TraceChoice, query: str, limits: Limits) -> pa.Table:
    from tensordbg.cli.output import folders_of_run, working

    with working(f"reading {trace.path}"):
        from tensordbg.analysis.query import sql_of_run
        from tensordbg.analysis.query_spread import sql_of_many
        from tensordbg.remote.copies import named
        from tensordbg.trace.reader import open_trace

        folders = folders_of_run(trace)
        table = sql_of_many({name: named(str(folder)) for name, folder in folders.items()}, query, limits)
        if table is not None:
            return table
        return sql_of_run({name: open_trace(folder) for name, folder in folders.items()}, query, limits)


def _read_by(address: str, trace: TraceChoice, query: str, limits: Limits) -> pa.Table:
    """The answer of a cluster's workers; they open the traces at the places where they lie here, or by address."""
    from tensordbg.cli.output import locations_of_run, working

    with working(f"reading {trace.path} by {address}"):
        from tensordbg.analysis.query_spread import sql_by_engine
        from tensordbg.engines.opened import opened_engine

        locations = locations_of_run(trace)
        with opened_engine(address) as engine:
            return sql_by_engine(engine, locations, query, limits)
