"""`tdbg report`: writes the findings into a file that others can open."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tensordbg.cli.arguments import TraceChoice, trace_argument
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.trace.folders.runs import TraceRun

STANDARD_OUTPUT = "-"

_SUFFIXES = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown"}


@click.command("report")
@trace_argument
@click.option("-o", "--output", metavar="FILE", required=True, help="report.html, report.md, or - for standard output.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["html", "markdown"]),
    help="A page that opens without a server, or text for an issue tracker; by default what the name of FILE ends in.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
def command(trace: TraceChoice, output: str, form: str | None, force: bool) -> None:
    """Write the findings and what surrounds them into one file, to attach to a bug report.

    TRACE is a trace, or a folder of traces, whose newest run is meant, with all its processes; by default tdbg-traces.
    """
    form = form or _form_of(output)
    if not force and output != STANDARD_OUTPUT and Path(output).exists():
        raise UsageError(_taken(output))
    text = _page(trace) if form == "html" else _markdown(trace)
    if output == STANDARD_OUTPUT:
        sys.stdout.buffer.write(text)
    else:
        _write(Path(output), text, force)


def _form_of(output: str) -> str:
    suffix = Path(output).suffix.lower()
    if output == STANDARD_OUTPUT:
        raise UsageError("-o - has no suffix that says what to write; add --format html or --format markdown")
    if suffix not in _SUFFIXES:
        raise UsageError(f"-o {output}: ends in none of {', '.join(_SUFFIXES)}; choose one of them, or say --format")
    return _SUFFIXES[suffix]


def _page(trace: TraceChoice) -> bytes:
    from tensordbg.cli.output import working
    from tensordbg.report.saved_page.page import saved_page
    from tensordbg.wire.view.answers import RunAnswers

    with working(f"reading {trace.path}"):
        return saved_page(RunAnswers(_run(trace)))


def _markdown(trace: TraceChoice) -> bytes:
    from tensordbg.cli.output import reading_run

    with reading_run(trace) as processes:
        from tensordbg.analysis.why import why_of_run
        from tensordbg.report.findings.markdown import circumstances_of_run, findings_markdown

        return findings_markdown(why_of_run(processes), circumstances_of_run(processes)).encode()


def _run(trace: TraceChoice) -> TraceRun:
    """The run, with all its processes or the one that was chosen."""
    from tensordbg.trace.folders.runs import TraceRun, find_run

    run = find_run(trace.path)
    return run if trace.process is None else TraceRun(run.path, (run.process(trace.process),))


def _write(path: Path, text: bytes, force: bool) -> None:
    try:
        with path.open("wb" if force else "xb") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(_taken(str(path))) from None
    except OSError as error:
        raise UsageError(f"{path}: can't be written: {error.strerror}; choose another FILE") from None
    click.echo(str(path))


def _taken(output: str) -> str:
    return f"{output}: is there already; choose another FILE, or replace it with --force"
