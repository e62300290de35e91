"""The program below the console, for commands that need one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.console.running import StopKind
from tensordbg.errors import UsageError

if TYPE_CHECKING:
    from tensordbg.console.console import Console
    from tensordbg.console.running import Runner


def runner_of(console: Console) -> Runner:
    """The program that stands still.

    Raises:
        UsageError: If there is none.
    """
    if console.runner is None:
        raise UsageError("no program stands still here, as this is a trace; `tdbg debug SCRIPT` runs one step by step")
    return console.runner


def waiting_runner(console: Console) -> Runner:
    """The program that stands still and can go on.

    Raises:
        UsageError: If there is none, or it has ended.
    """
    runner = runner_of(console)
    if runner.stop.kind is StopKind.END:
        raise UsageError("the program has ended and can't go on; `exit` leaves, all that looks still works")
    return runner
