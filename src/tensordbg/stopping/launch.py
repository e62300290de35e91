"""Runs a program that stops at some lines in a debugger, as `python program.py` or `python -m package` would run it.

    python -m tensordbg.stopping.launch PLAN (-m MODULE | SCRIPT) ARGS...

`tdbg run --pdb` starts this with the user's own interpreter and waits. Nothing is recorded.
"""

from __future__ import annotations

import importlib.machinery
import sys
from functools import partial
from types import CodeType
from typing import Any

from tensordbg.errors import UsageError
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.launch import hide_our_frames, parse_program, plainly, run_program
from tensordbg.recording.saying import say
from tensordbg.recording.support import LINES
from tensordbg.stopping.in_tests import REWRITING, stop_in_tests
from tensordbg.stopping.plan import StopPlan
from tensordbg.stopping.stops import Stops


def _watch_imports(stops: Stops) -> None:
    """Has what the program imports compiled with stops."""
    loader = importlib.machinery.SourceFileLoader
    plain = loader.get_code

    def get_code(self: Any, fullname: str) -> CodeType | None:
        file = self.get_filename(fullname)
        try:
            # Of nearly all files it is known by their names that they are not meant.
            code = stops.compiled(self.get_data(file), file) if stops.is_of(file) else None
        except UsageError as error:
            say(f"{error}; the program goes on")
            code = None
        return plain(self, fullname) if code is None else code

    loader.get_code = get_code  # type: ignore[method-assign]


def main() -> None:
    """Runs the program that the command line names."""
    plan, launch = StopPlan.from_json(sys.argv[1]), parse_program(sys.argv[2:])
    stops = Stops(plan)
    stops.install()
    _watch_imports(stops)
    callbacks = {backend.framework: partial(role.stop_at, stops) for backend, role in LINES.offers()}
    watch = ImportWatch({**callbacks, REWRITING: lambda: stop_in_tests(stops)})
    watch.start()
    try:
        run_program(launch, lambda source, file: stops.compiled(source, file) or plainly(source, file))
    except BaseException:
        if stops.quitting:  # as `python -m pdb` ends
            sys.exit(0)
        hide_our_frames()
        raise
    finally:
        stops.tell_end()


if __name__ == "__main__":
    main()
