"""`tdbg export`: writes the tables of a trace as Parquet files."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import trace_and


@click.command("export")
@trace_and("DIR")
def command(trace_and_rest: tuple[str, str]) -> None:
    """Write the tables of a trace as Parquet files into DIR, one per table.

    TRACE is a trace, or a folder of traces, whose newest is meant; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_text, reading

    trace, folder = trace_and_rest
    with reading(trace) as reader:
        from tensordbg.trace.export import export

        files = export(reader, Path(folder))
    print_text("".join(f"{path}\n" for path in files))
