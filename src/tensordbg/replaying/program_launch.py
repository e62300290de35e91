"""Runs a program up to its first call of a captured function, and that call on what was captured.

    python -m tensordbg.replaying.program_launch PLAN (-m MODULE | SCRIPT) ARGS...

`tdbg replay --eager`, `--pdb`, `--dap` and `--patch` start this and wait.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tensordbg.capture.outcome import Reading, compare
from tensordbg.capture.reader import Capture, open_capture
from tensordbg.capture.replayed import Replayed, ReplayedStep, write_replayed
from tensordbg.errors import CaptureError, TensordbgError
from tensordbg.recording.ability_watch import AbilityWatch
from tensordbg.recording.launch import hide_our_frames, parse_program, run_program
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session
from tensordbg.recording.support import STEP_CALLS
from tensordbg.replaying.patched_source import with_patch
from tensordbg.replaying.program import ProgramReplay, Way
from tensordbg.stopping.debuggers import serve_dap, stop_in_pdb, wait_for_editor, watched_in_pdb


class _Runner:
    """Runs the step when the program comes to it."""

    def __init__(self, plan: ProgramReplay, capture: Capture) -> None:
        self._plan = plan
        self._capture = capture

    def __call__(self, call: Callable[[], object]) -> None:
        """Runs the Python function on what was captured; the program ends after it."""
        plan = self._plan
        if plan.way is Way.PDB:
            stop_in_pdb(call, plan.file, plan.line)
        elif plan.way is Way.DAP:
            serve_dap(call, plan.port, self._stops)
        else:
            with self._recorded():
                call()

    @contextlib.contextmanager
    def span(self, frame: FrameType) -> Iterator[None]:
        """The block around a step that is a part of what the program runs."""
        plan = self._plan
        if plan.way is Way.PDB:
            with watched_in_pdb(frame, plan.file, plan.line):
                yield
        elif plan.way is Way.DAP:
            wait_for_editor(plan.port, self._stops)
            yield
        else:
            with self._recorded():
                yield

    def tell(self, readings: tuple[Reading, ...]) -> None:
        """Writes how a recorded step came out."""
        if self._plan.way is Way.RECORD:
            step = ReplayedStep(compare(self._capture.header.trouble, readings), readings)
            write_replayed(Path(self._plan.place), Replayed(self._plan.capture, (step,)))

    @property
    def _stops(self) -> str:
        return f"it stops before the step, whose trouble begins at {self._plan.file}:{self._plan.line}"

    @contextlib.contextmanager
    def _recorded(self) -> Iterator[None]:
        command = ("tdbg", "replay", self._plan.capture)
        session = Session(Path(self._plan.place), Plan(), f"replay of {self._capture.path.name}", command)
        session.start()
        try:
            yield
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
