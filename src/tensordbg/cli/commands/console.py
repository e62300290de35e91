"""`tdbg console`: looks around in a trace, command by command."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import TraceChoice, trace_argument


@click.command("console")
@trace_argument
@click.option("--plain", is_flag=True, help="A prompt for lines, where the terminal could show a full screen.")
@click.option("-c", "script", metavar="SCRIPT", help="Commands with `;` between them, instead of asking for them.")
@click.option(
    "--filters", "filters", metavar="FILE", multiple=True, help="A Python file whose functions become filters."
)
def command(trace: TraceChoice, plain: bool, script: str | None, filters: tuple[str, ...]) -> int:
    """Look around in a trace: list tensors, show their elements, nodes and source lines, and compute with them.

    TRACE is a trace, or a folder of traces, of which the newest is meant; by default tdbg-traces. The program may
    still run. `help` lists the commands; they are those of `tdbg debug`.
    """
    from tensordbg.console.console import Console
    from tensordbg.console.faces import choose_face
    from tensordbg.console.language.filters import Filters
    from tensordbg.trace.folders.runs import find_run

    run = find_run(trace.path)
    process = run.only() if trace.process is None else run.process(trace.process)
    known = Filters()
    for file in filters:
        known.add_file(Path(file))
    go = choose_face(script, plain).converse(Console(process.folder, filters=known))
    return go.exit_code or 0
