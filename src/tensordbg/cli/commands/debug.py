"""`tdbg debug`: runs a program and stops it at lines, before and behind its runs, to look at what it computed."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER, complete_file


@click.command(
    "debug",
    context_settings={"allow_interspersed_args": False},
    options_metavar="[--plain] [-c SCRIPT] [--break 'FILE:LINE [if CONDITION]']... [--filters FILE]... [--out DIR] "
    "[--values-budget SIZE]",
)
@click.option("--plain", is_flag=True, help="A prompt for lines, where the terminal could show a full screen.")
@click.option("-c", "script", metavar="SCRIPT", help="Commands with `;` between them, instead of asking for them.")
@click.option(
    "--break",
    "breaks",
    metavar="PLACE",
    multiple=True,
    help="FILE:LINE [if CONDITION]: where to stop; `continue` goes there.",
)
@click.option(
    "--filters", "filters", metavar="FILE", multiple=True, help="A Python file whose functions become filters."
)
@click.option(
    "--out", metavar="DIR", default=DEFAULT_FOLDER, show_default=True, help="The folder in which a new trace is made."
)
@click.option(
    "--values-budget", "budget", metavar="SIZE", default="2G", show_default=True, help="What the elements may take."
)
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module, as for `python -m`.")
@click.argument("program", metavar="PROGRAM", shell_complete=complete_file)
@click.argument("arguments", nargs=-1, metavar="[ARGS]...", type=click.UNPROCESSED)
def command(  # noqa: PLR0913, PLR0917  one for each option
    plain: bool, script: str | None, breaks: tuple[str, ...], filters: tuple[str, ...], out: str, budget: str,
    as_module: bool, program: str, arguments: tuple[str, ...],
) -> int:  # fmt: skip
    """Run the Python program PROGRAM with ARGS, and stop it to look at its tensors.

    It stops before its first operation. A run is one call of a function, or of a session, from Python. `run` makes one
    and stops behind it, `break FILE:LINE` stops at a line, `run -f non_finite` goes on until a tensor is not finite,
    `help` lists all there is.
    """
    from tensordbg.cli.running.debugging import debug
    from tensordbg.cli.running.program import Program
    from tensordbg.debug.plan import DebugPlan
    from tensordbg.recording.value_filter import parse_size

    chosen = Program.module(program, arguments) if as_module else Program.script(program, arguments)
    files = tuple(str(Path(file).absolute()) for file in filters)
    return debug(chosen, Path(out), DebugPlan(script, plain, files, breaks, parse_size(budget)))
