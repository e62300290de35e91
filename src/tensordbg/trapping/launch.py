"""Runs a program with a trap, as `python program.py` or `python -m package` would run it.

    python -m tensordbg.trapping.launch PLAN (-m MODULE | SCRIPT) ARGS...

`tdbg trap` starts this with the user's own interpreter and waits. Nothing is recorded. A program that a bad step ends
has the exit code 3.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence

from tensordbg.recording.ability_watch import AbilityWatch
from tensordbg.recording.backend import FrameworkTrap
from tensordbg.recording.carried import carried, chain
from tensordbg.recording.handed_on import HandedOn, hand_on
from tensordbg.recording.launch import NO_PROGRAM, hide_our_frames, parse_program, run_program
from tensordbg.recording.saying import say
from tensordbg.recording.support import TRAP
from tensordbg.trapping.plan import TrapFound, TrapPlan

MODULE = "tensordbg.trapping.launch"

BAD_STEP = 3
"""The exit code of a program that was stopped at a bad step."""


def found_behind(error: BaseException, traps: Iterable[FrameworkTrap]) -> TrapFound | None:
    """The finding of a trap, where an exception is a trap's or comes from one."""
    for trap in traps:
        for each in chain(error):
            trap.carry(each)
    return carried(error, TrapFound)


def run_function(words: Sequence[str], function: Callable[[], object]) -> None:
    """Runs a function of this process with a trap; what stops it is raised from it.

    Args:
        words: The plan.
        function: The function.
    """
    hand_on(HandedOn(MODULE, tuple(words)))
    plan = TrapPlan.from_json(words[0])
    traps: list[FrameworkTrap] = []
    try:
        with AbilityWatch(TRAP, NO_PROGRAM, lambda role: traps.append(role.start(plan))):
            function()
    except Exception as error:
        found = found_behind(error, traps)
        if found is not None:
            say(found.sentence)
        raise
    finally:
        for trap in traps:
            trap.tell_end()


def main() -> None:
    """Runs the program that the command line names."""
    plan = TrapPlan.from_json(sys.argv[1])
    launch = parse_program(sys.argv[2:])
    hand_on(HandedOn(MODULE, (sys.argv[1],)))
    traps: list[FrameworkTrap] = []
    watch = AbilityWatch(TRAP, launch, lambda role: traps.append(role.start(plan)))
    try:
        with watch:
            run_program(launch)
    except Exception as error:
        hide_our_frames()
        found = found_behind(error, traps)
        if found is None:
            raise
        sys.excepthook(type(error), error, error.__traceback__)
        say(found.sentence)
        for trap in traps:
            trap.tell_others(found.sentence)
        sys.exit(BAD_STEP)
    except BaseException:
        hide_our_frames()
        raise
    finally:
        for trap in traps:
            trap.tell_end()
        if plan.call is not None and not traps and not watch.told:
            able = " or ".join(backend.title for backend, _ in TRAP.offers())
            say(f"{plan.call.words} was not captured: the program did not import {able}")


if __name__ == "__main__":
    main()
