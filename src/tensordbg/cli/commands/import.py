"""`tdbg import`: makes traces of what TensorFlow's own debugger recorded."""

# The command is called what it is called.
# ruff: noqa: N999
from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER


@click.command("import")
@click.argument("logdir")
@click.option(
    "--out", metavar="DIR", default=DEFAULT_FOLDER, show_default=True, help="The folder in which new traces are made."
)
def command(logdir: str, out: str) -> None:
    """Make traces of what TensorFlow's debugger wrote into LOGDIR and the folders under it.

    LOGDIR is the folder that the program gave to tf.debugging.experimental.enable_dump_debug_info; each run, and each
    host of a run, becomes a trace of its own. Or it is what a program of TensorFlow 1 gave to
    DumpingDebugWrapperSession or DumpingDebugHook; its runs become one trace.
    """
    from tensordbg.cli.output import print_text, working
    from tensordbg.importers.importing import import_folder
    from tensordbg.report.numbers import amount

    with working(f"reading {logdir}"):
        imported = import_folder(Path(logdir), Path(out))
    for each in imported:
        counts = f"{amount(each.executions, 'execution')}, {amount(each.tensors, 'tensor')}"
        print_text(f"{each.trace}: {counts} of {each.source}\n")
