"""`tdbg replay`: runs a captured step again, without the program, and says what was found."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import DEFAULT_FOLDER


@click.command("replay")
@click.argument("capture", type=click.Path(path_type=Path))
@click.option(
    "--out", metavar="DIR", default=DEFAULT_FOLDER, show_default=True, help="The folder in which its trace is made."
)
@click.option("--times", type=click.IntRange(1, 1000), default=1, show_default=True, help="Run the step so often.")
@click.option("--bisect", is_flag=True, help="Look for the smallest part of the batch that still goes wrong, by rows.")
@click.option("--float64", "precision", flag_value="float64", help="Compute narrower numbers in float64 too.")
@click.option("--float32", "precision", flag_value="float32", help="Compute half precision in float32 too.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="Change an input, a variable or a tensor.")
@click.option("--clip", "clips", metavar="NORM|NAME:MIN:MAX", multiple=True, help="Clip the gradients, or a tensor.")
def command(  # noqa: PLR0913, PLR0917  one for each option
    capture: Path, out: str, times: int, bisect: bool, precision: str | None, settings: tuple[str, ...],
    clips: tuple[str, ...],
) -> None:  # fmt: skip
    """Run the step in the folder CAPTURE again under full recording, here, without the program that it is of.

    It is said whether the step came out the same, and what `tdbg why` finds in it. The trace is one like any other.
    """
    from tensordbg.capture.reader import open_capture
    from tensordbg.cli.replaying import replay_capture
    from tensordbg.recording.replay_changes import change_of
    from tensordbg.recording.replay_plan import ReplayPlan

    open_capture(capture)
    changes = (*(f"set {each}" for each in settings), *(f"clip {each}" for each in clips))
    for each in changes:
        change_of(each)
    replay_capture(ReplayPlan(str(capture), times, bisect, precision or "", changes), Path(out))
