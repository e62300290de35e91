"""`tdbg trap`: runs a program until a step is bad; captures that step, replays it and says what was found."""

from __future__ import annotations

from pathlib import Path

import click

from tensordbg.cli.arguments import complete_file
from tensordbg.errors import UsageError

DEFAULT_CAPTURES = "captures"


@click.command(
    "trap",
    context_settings={"allow_interspersed_args": False},
    options_metavar="[--captures DIR] [--on-bad stop|skip|record] [--most N] [--size SIZE] [--loss-jump Z] "
    "[--gradient-norm LIMIT] [--keep SIZE] [--call FUNCTION[:N]] [--no-replay]",
)
@click.option("--captures", metavar="DIR", default=DEFAULT_CAPTURES, show_default=True, help="Where captures go.")
@click.option(
    "--on-bad",
    "on_bad",
    type=click.Choice(["stop", "skip", "record"]),
    default="stop",
    show_default=True,
    help="End the program before the step writes anything; leave the step out and go on; or capture it and go on as "
    "without a trap.",
)
@click.option("--most", type=click.IntRange(1), metavar="N", default=10, show_default=True, help="At most N captures.")
@click.option("--size", metavar="SIZE", default="4G", show_default=True, help="What one capture may take.")
@click.option(
    "--loss-jump",
    "loss_jump",
    type=float,
    metavar="Z",
    default=0.0,
    help="Also call a step bad whose loss lies Z deviations above the median of the last 100, such as 8.",
)
@click.option(
    "--gradient-norm",
    "gradient_norm",
    type=float,
    metavar="LIMIT",
    default=0.0,
    help="Also call a step bad whose gradients together have a larger Euclidean norm.",
)
@click.option(
    "--keep",
    metavar="SIZE",
    default="0",
    help="Also look at the variables from time to time, and keep what the steps since then were given, up to SIZE.",
)
@click.option(
    "--call",
    "call",
    metavar="FUNCTION[:N]",
    help="Instead of bad steps, capture call N (from 0) of this function, whatever its numbers; the program goes on.",
)
@click.option("--no-replay", "no_replay", is_flag=True, help="Do not replay the first capture at the end.")
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module, as for `python -m`.")
@click.argument("script", shell_complete=complete_file)
@click.argument("arguments", nargs=-1, metavar="[ARGS]...", type=click.UNPROCESSED)
def command(  # noqa: PLR0913, PLR0917  one for each option
    captures: str, on_bad: str, most: int, size: str, loss_jump: float, gradient_norm: float, keep: str,
    call: str | None, no_replay: bool, as_module: bool, script: str, arguments: tuple[str, ...],
) -> int:  # fmt: skip
    """Run the Python program SCRIPT with ARGS until a step goes wrong.

    Each training step's loss and gradients are tested before the step writes anything. The first step in which they
    are not finite is captured whole, and replayed. A program that is stopped ends with code 3, and its weights are
    those before the step.
    """
    from tensordbg.cli.running.program import Program
    from tensordbg.cli.running.trapping import run_trapped
    from tensordbg.recording.value_filter import parse_size
    from tensordbg.trapping.plan import OnBad, TrapPlan, call_of, on_bad_of
    from tensordbg.trapping.rules import StepRules

    program = Program.module(script, arguments) if as_module else Program.script(script, arguments)
    rules = StepRules(loss_jump, gradient_norm=gradient_norm)
    folder, bad = Path(captures).absolute(), on_bad_of(on_bad)
    if call is not None:
        _refuse_beside_call()
        plan = TrapPlan(folder, OnBad.RECORD, size=parse_size(size), call=call_of(call))
    else:
        plan = TrapPlan(folder, bad, most, parse_size(size), rules, parse_size(keep))
    return run_trapped(program, plan, not no_replay)


def _refuse_beside_call() -> None:
    """Says so where an option that is about bad steps comes together with --call."""
    context = click.get_current_context()
    for name in ("on_bad", "most", "loss_jump", "gradient_norm", "keep"):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(f"{option} is about bad steps, but --call captures a call as it is; leave one of them out")
