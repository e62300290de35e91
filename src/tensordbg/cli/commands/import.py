"""`tdbg import`: makes traces of what TensorFlow's own debugger recorded, and of files of named tensors."""

# The command is called what it is called.
# ruff: noqa: N999
from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER


@click.command("import")
@click.argument("paths", nargs=-1, required=True, metavar="LOGDIR|FILE...")
@click.option(
    "--out", metavar="DIR", default=DEFAULT_FOLDER, show_default=True, help="The folder in which new traces are made."
)
def command(paths: tuple[str, ...], out: str) -> None:
    """Make traces of what TensorFlow's debugger wrote into LOGDIR and the folders under it, or of FILEs of tensors.

    LOGDIR is the folder that the program gave to tf.debugging.experimental.enable_dump_debug_info; each run, and each
    host of a run, becomes a trace of its own. Or it is what a program of TensorFlow 1 gave to
    DumpingDebugWrapperSession or DumpingDebugHook; its runs become one trace.

    FILE is one of named tensors, .safetensors, .npz or .npy, that any program has written. Several become one trace;
    where their names are alike but for one number, that is the step.
    """
    from tensordbg.cli.output import print_text, working
    from tensordbg.importers.importing import import_paths
    from tensordbg.report.numbers import amount

    with working(f"reading {paths[0]}"):
        imported = import_paths([Path(each) for each in paths], Path(out))
    for each in imported:
        counts = f"{amount(each.executions, each.counted)}, {amount(each.tensors, 'tensor')}"
        print_text(f"{each.trace}: {counts} of {each.source}\n")
