"""`tdbg run`: records a program, as it would run without us, and says what came of it."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER
from tensordbg.model import Detail


@click.command(
    "run",
    context_settings={"allow_interspersed_args": False},
    options_metavar="[--out DIR] [--detail ops|shapes|health|values]",
)
@click.option(
    "--out", metavar="DIR", default=DEFAULT_FOLDER, show_default=True, help="The folder in which a new trace is made."
)
@click.option(
    "--detail",
    type=click.Choice([detail.value for detail in Detail]),
    default=Detail.HEALTH.value,
    show_default=True,
    help="How much is recorded of each tensor: that it was computed, its shape too, its statistics too. "
    "For now `values` is the same as `health`.",
)
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module, as for `python -m`.")
@click.argument("script")
@click.argument("arguments", nargs=-1, metavar="[ARGS]...", type=click.UNPROCESSED)
def command(out: str, detail: str, as_module: bool, script: str, arguments: tuple[str, ...]) -> int:
    """Record the Python program SCRIPT, run with ARGS.

    Nothing in the program is changed: it has its own arguments, output, exit code and signals. Each run makes a new
    trace in the folder of traces. When the program ends, a summary is printed on standard error, and the report of
    `tdbg why` if a number was not finite.
    """
    from tensordbg.cli.program import Program
    from tensordbg.cli.supervise import record

    program = Program.module(script, arguments) if as_module else Program.script(script, arguments)
    return record(program, Path(out), Detail(detail))
