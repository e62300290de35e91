"""Runs a captured step again under recording.

    python -m tensordbg.replaying.launch TRACE PLAN

`tdbg replay` starts this and waits. What came of it goes to `replay.json` in the trace's folder.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from tensordbg.capture.outcome import compare
from tensordbg.capture.reader import Capture, open_capture
from tensordbg.capture.replayed import Replayed, ReplayedStep, write_replayed
from tensordbg.errors import TensordbgError
from tensordbg.recording.backend import StepReplayer
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session
from tensordbg.recording.support import REPLAY
from tensordbg.replaying.bisect import bisect, chosen
from tensordbg.replaying.framework import backend_for
from tensordbg.replaying.plan import ReplayPlan


def replay(trace: Path, plan: ReplayPlan) -> None:
    """Runs the step as the plan says, each time from the same state, and records it.

    Raises:
        CaptureError: If the capture can't be replayed.
        RecordingError: If the trace can't be made.
        UsageError: If it can't be changed so.
    """
    capture = open_capture(Path(plan.capture))
    replayer = _replayer(capture, plan)
    session = Session(trace, Plan(), f"replay of {capture.path.name}", ("tdbg", "replay", plan.capture))
    if plan.bisect:
        runs = _runs(replayer, capture, plan.times)
        bisected = bisect(replayer, capture.header.trouble)
        with _recorded(session):
            replayer.run(chosen(replayer, bisected, bisected.smallest))
    else:
        bisected = None
        with _recorded(session):
            runs = _runs(replayer, capture, plan.times)
    left = replayer.ruined(), replayer.moved(), replayer.uncompiled
    write_replayed(trace, Replayed(plan.capture, runs, replayer.random, replayer.notes, bisected, *left))


@contextlib.contextmanager
def _recorded(session: Session) -> Iterator[None]:
    session.start()
    try:
        yield
    finally:
        session.stop(0)


def _replayer(capture: Capture, plan: ReplayPlan) -> StepReplayer:
    backend, role = backend_for(capture, REPLAY)
    importlib.import_module(backend.framework)
    return role.replayer(capture, plan)


def _runs(replayer: StepReplayer, capture: Capture, times: int) -> tuple[ReplayedStep, ...]:
    return tuple(_run(replayer, capture) for _ in range(times))


def _run(replayer: StepReplayer, capture: Capture) -> ReplayedStep:
    readings = replayer.run(replayer.arguments)
    return ReplayedStep(compare(capture.header.trouble, readings), readings)


def main() -> None:
    """Replays what the command line names."""
    trace, plan = sys.argv[1:]
    try:
        replay(Path(trace), ReplayPlan.from_json(plan))
    except TensordbgError as error:
        sys.stderr.write(f"tdbg: error: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
