"""`tdbg replay`: runs a captured step again, without the program, and says what was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.cli.running.program import Program
    from tensordbg.replaying.plan import ReplayPlan


@click.command(
    "replay",
    context_settings={"allow_interspersed_args": True},
    options_metavar="[OPTIONS]",
)
@click.argument("capture", type=click.Path(path_type=Path))
@click.argument("program", nargs=-1, metavar="[-- PROGRAM ARGS...]", type=click.UNPROCESSED)
@click.option(
    "--out", metavar="DIR", default=DEFAULT_FOLDER, show_default=True, help="The folder in which its trace is made."
)
@click.option("--times", type=click.IntRange(1, 1000), default=1, show_default=True, help="Run the step so often.")
@click.option("--bisect", is_flag=True, help="Look for the smallest part of the batch that still goes wrong, by rows.")
@click.option("--float64", "precision", flag_value="float64", help="Compute narrower numbers in float64 too.")
@click.option("--float32", "precision", flag_value="float32", help="Compute half precision in float32 too.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="Change an input, a variable or a tensor.")
@click.option("--clip", "clips", metavar="NORM|NAME:MIN:MAX", multiple=True, help="Clip the gradients, or a tensor.")
@click.option("--patch", metavar="FILE|OLD=FILE", help="Run it as PROGRAM makes it with this changed source, too.")
@click.option("--eager", is_flag=True, help="Run the step's Python function, by PROGRAM, without a graph.")
@click.option("--pdb", is_flag=True, help="The same in Python's debugger, at the line where the trouble begins.")
@click.option("--dap", type=click.IntRange(1, 65535), metavar="PORT", help="The same in an editor that attaches here.")
@click.option("--trust", is_flag=True, help="Run the step also where it does more than compute, such as read files.")
@click.option("--break", "stop", metavar="FILE:LINE", default="", help="Stop at another line.")
def command(capture: Path, out: str, times: int, program: tuple[str, ...], **asked: Any) -> None:
    """Run the step in the folder CAPTURE again under full recording, here, without the program that it is of.

    It is said whether the step came out the same, and what `tdbg why` finds in it. The trace is one like any other.
    """
    from tensordbg.capture.reader import open_capture
    from tensordbg.cli.running.replaying import replay_capture
    from tensordbg.cli.running.replaying_program import program_of
    from tensordbg.recording.support import REPLAY, STEP_CALLS
    from tensordbg.replaying.changes import change_of
    from tensordbg.replaying.framework import backend_for
    from tensordbg.replaying.plan import ReplayPlan

    opened = open_capture(capture)
    # Before a process is started for it, so that it is one line and no trace is begun.
    backend_for(opened, REPLAY)
    if asked["patch"] or asked["eager"] or asked["pdb"] or asked["dap"] or asked["stop"]:
        backend_for(opened, STEP_CALLS)
        plan = ReplayPlan(str(capture), trusted=asked["trust"])
        _with_program(plan, program_of(opened, program), Path(out), asked)
        return
    if program:
        raise UsageError(f"{program[0]!r}: a program is run with --eager, --pdb, --dap or --patch only; give one")
    changes = (*(f"set {each}" for each in asked["settings"]), *(f"clip {each}" for each in asked["clips"]))
    for each in changes:
        change_of(each)
    precision = asked["precision"] or ""
    replay_capture(ReplayPlan(str(capture), times, asked["bisect"], precision, changes, asked["trust"]), Path(out))


def _with_program(plan: ReplayPlan, program: Program, out: Path, asked: dict[str, Any]) -> None:
    from tensordbg.cli.running.replaying_program import replay_eagerly, replay_patched, stop_eagerly

    if asked["patch"]:
        replay_patched(plan, program, out, asked["patch"])
    elif asked["pdb"] or asked["dap"] or asked["stop"]:
        stop_eagerly(plan, program, out, asked["stop"], asked["dap"] or 0)
    else:
        replay_eagerly(plan, program, out)
