"""Runs a program whose numbers are checked, as `python program.py` or `python -m package` would run it.

    python -m tensordbg.recording.check_launch (-m MODULE | SCRIPT) ARGS...

`tdbg run --check` starts this with the user's own interpreter and waits. Nothing is recorded. The program ends at the
operation that makes the first infinity or NaN, with that exception and its exit code.
"""

from __future__ import annotations

import contextlib
import re
import sys
import types

from tensordbg.recording.ability_watch import AbilityWatch
from tensordbg.recording.launch import hide_our_frames, parse_program, run_program
from tensordbg.recording.saying import write
from tensordbg.recording.support import CHECK


def finding_of(message: str) -> str | None:
    """The few words on standard error after the traceback, None where the error is not a check's."""
    first = re.search(r"!!! Detected (Infinity or NaN in output .*) !!!", message)
    if first is None:
        return None
    source = re.search(r"^  Source: (.*)$", message, re.MULTILINE)
    counts = ", ".join(f"{count} {what}" for what, count in re.findall(r"# of \+?(\S+) elements: (\d+)", message))
    return f"tdbg: {first[1]}: {counts}\n" + (f"tdbg: at {source[1]}\n" if source else "")


def _tell_after_traceback() -> None:
    show = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        show(kind, error, trace)
        words = finding_of(str(error))
        if words is not None:
            with contextlib.suppress(OSError):
                write(words)

    sys.excepthook = hook


def main() -> None:
    """Runs the program that the command line names."""
    launch = parse_program(sys.argv[1:])
    try:
        with AbilityWatch(CHECK, launch, lambda role: role.start()):
            run_program(launch)
    except BaseException:
        hide_our_frames()
        _tell_after_traceback()
        raise


if __name__ == "__main__":
    main()
