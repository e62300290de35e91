"""`tdbg export`: writes the tables of a trace as Parquet files, or a small file to compare later runs with."""

from __future__ import annotations

import re
from pathlib import Path

import click

from tensordbg.cli.arguments import TraceChoice, trace_and


@click.command("export")
@click.option(
    "--summary", is_flag=True, help="Write a small file, DIR, with what `tdbg diff --against` needs of one process."
)
@trace_and("DIR")
def command(trace_and_rest: tuple[TraceChoice, str], summary: bool) -> None:
    """Write the tables of a trace as Parquet files into DIR, one per table; of several processes, each into its own.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    """
    from tensordbg.cli.output import print_text, reading_run

    trace, folder = trace_and_rest
    if summary:
        _summarize(trace, Path(folder))
        print_text(f"{folder}\n")
        return
    with reading_run(trace) as processes:
        from tensordbg.trace.export import export

        files = [file for name, reader in processes.items() for file in export(reader, Path(folder) / _file_name(name))]
    print_text("".join(f"{path}\n" for path in files))


def _summarize(trace: TraceChoice, file: Path) -> None:
    from tensordbg.analysis.diff.summarizing import summarize
    from tensordbg.cli.output import reading
    from tensordbg.trace.summary import write_summary

    with reading(trace) as reader:
        write_summary(file, summarize(reader, reader.metadata.program))


def _file_name(process: str) -> str:
    """`worker-1`; nothing for a process without a name."""
    return re.sub(r"[^A-Za-z0-9._]+", "-", process).strip("-.")
