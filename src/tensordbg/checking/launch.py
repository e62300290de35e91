"""Runs a program whose numbers are checked, as `python program.py` or `python -m package` would run it.

    python -m tensordbg.checking.launch (-m MODULE | SCRIPT) ARGS...

`tdbg run --check` starts this with the user's own interpreter and waits. Nothing is recorded. The program ends at the
operation that makes the first infinity or NaN, with that exception and its exit code.
"""

from __future__ import annotations

import contextlib
import sys
import types
from collections.abc import Callable, Sequence

from tensordbg.checking.found import CheckFound
from tensordbg.recording.ability_watch import AbilityWatch
from tensordbg.recording.carried import carried
from tensordbg.recording.handed_on import HandedOn, hand_on
from tensordbg.recording.launch import NO_PROGRAM, hide_our_frames, parse_program, run_program
from tensordbg.recording.saying import write
from tensordbg.recording.support import CHECK

MODULE = "tensordbg.checking.launch"


def _tell_after_traceback() -> None:
    show = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        show(kind, error, trace)
        found = carried(error, CheckFound)
        if found is not None:
            with contextlib.suppress(OSError):
                write(found.lines)

    sys.excepthook = hook


def run_function(_words: Sequence[str], function: Callable[[], object]) -> None:
    """Runs a function of this process, whose numbers are checked from now on."""
    hand_on(HandedOn(MODULE))
    with AbilityWatch(CHECK, NO_PROGRAM, lambda role: role.start()):
        function()


def main() -> None:
    """Runs the program that the command line names."""
    launch = parse_program(sys.argv[1:])
    hand_on(HandedOn(MODULE))
    try:
        with AbilityWatch(CHECK, launch, lambda role: role.start()):
            run_program(launch)
    except BaseException:
        hide_our_frames()
        _tell_after_traceback()
        raise


if __name__ == "__main__":
    main()
