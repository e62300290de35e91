"""`tdbg export`: writes the tables of a trace as Parquet files."""

from __future__ import annotations

import re
from pathlib import Path

import click

from tensordbg.cli.arguments import TraceChoice, trace_and


@click.command("export")
@trace_and("DIR")
def command(trace_and_rest: tuple[TraceChoice, str]) -> None:
    """Write the tables of a trace as Parquet files into DIR, one per table; of several processes, each into its own.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_text, reading_run

    trace, folder = trace_and_rest
    with reading_run(trace) as processes:
        from tensordbg.trace.export import export

        files = [file for name, reader in processes.items() for file in export(reader, Path(folder) / _file_name(name))]
    print_text("".join(f"{path}\n" for path in files))


def _file_name(process: str) -> str:
    """`worker-1`; nothing for a process without a name."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", process).strip("-.")
