"""Runs a program up to its first call of a captured function, and that call on what was captured.

    python -m tensordbg.replaying.program_launch PLAN (-m MODULE | SCRIPT) ARGS...

`tdbg replay --eager`, `--pdb`, `--dap` and `--patch` start this and wait.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from tensordbg.capture.reader import Capture, open_capture
from tensordbg.errors import CaptureError, TensordbgError
from tensordbg.recording.ability_watch import AbilityWatch
from tensordbg.recording.launch import hide_our_frames, parse_program, run_program
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session
from tensordbg.recording.support import STEP_CALLS
from tensordbg.replaying.patched_source import with_patch
from tensordbg.replaying.program import ProgramReplay, Way
from tensordbg.stopping.debuggers import serve_dap, stop_in_pdb


class _Runner:
    """Runs the call when the program makes it."""

    def __init__(self, plan: ProgramReplay, capture: Capture) -> None:
        self._plan = plan
        self._capture = capture

    def __call__(self, call: Callable[[], object]) -> None:
        """Runs the Python function on what was captured; the program ends after it."""
        plan = self._plan
        if plan.way is Way.PDB:
            stop_in_pdb(call, plan.file, plan.line)
        elif plan.way is Way.DAP:
            serve_dap(call, plan.port, f"it stops before the step, whose trouble begins at {plan.file}:{plan.line}")
        else:
            command = ("tdbg", "replay", plan.capture)
            session = Session(Path(plan.place), Plan(), f"replay of {self._capture.path.name}", command)
            session.start()
            try:
                call()
            finally:
                session.stop(0)


def main() -> None:
    """Runs the program that the command line names."""
    plan, launch = ProgramReplay.from_json(sys.argv[1]), parse_program(sys.argv[2:])
    try:
        capture = open_capture(plan.capture)
        if plan.patched is not None:
            launch = with_patch(launch, plan.patched)
        runner = _Runner(plan, capture)
        with AbilityWatch(STEP_CALLS, launch, lambda role: role.meet(capture, plan, runner)):
            run_program(launch)
        _refuse_end(capture.header.function)
    except TensordbgError as error:
        sys.stderr.write(f"tdbg: error: {error}\n")
        sys.exit(2)
    except BaseException:
        hide_our_frames()
        raise


def _refuse_end(name: str) -> NoReturn:
    raise CaptureError(f"the program ended without calling {name}(), which was captured; give the step's own program")


if __name__ == "__main__":
    main()
