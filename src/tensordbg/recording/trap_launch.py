"""Runs a program with a trap, as `python program.py` or `python -m package` would run it.

    python -m tensordbg.recording.trap_launch PLAN (-m MODULE | SCRIPT) ARGS...

`tdbg trap` starts this with the user's own interpreter and waits. Nothing is recorded. A program that a bad step ends
has the exit code 3.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from tensordbg.recording.ability_watch import AbilityWatch
from tensordbg.recording.backend import FrameworkTrap
from tensordbg.recording.launch import hide_our_frames, parse_program, run_program
from tensordbg.recording.saying import say
from tensordbg.recording.support import TRAP
from tensordbg.recording.trap_plan import MARK, TrapPlan

BAD_STEP = 3
"""The exit code of a program that was stopped at a bad step."""


def said_of(error: BaseException) -> str | None:
    """The trap's own sentence, where an exception is a trap's or comes from one."""
    for each in _chain(error):
        for line in str(each).splitlines():
            # Where several operations failed, TensorFlow numbers what each says.
            _, mark, rest = line.partition(f"{MARK}: ")
            if mark:
                return mark + rest
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def main() -> None:
    """Runs the program that the command line names."""
    plan = TrapPlan.from_json(sys.argv[1])
    launch = parse_program(sys.argv[2:])
    traps: list[FrameworkTrap] = []
    watch = AbilityWatch(TRAP, launch, lambda role: traps.append(role.start(plan)))
    try:
        with watch:
            run_program(launch)
    except Exception as error:
        hide_our_frames()
        said = said_of(error)
        if said is None:
            raise
        sys.excepthook(type(error), error, error.__traceback__)
        say(said)
        for trap in traps:
            trap.tell_others(said)
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
