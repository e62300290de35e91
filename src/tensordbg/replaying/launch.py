"""Runs a captured step again under recording.

    python -m tensordbg.replaying.launch TRACE PLAN

`tdbg replay` starts this and waits. What came of it goes to `replay.json` in the trace's folder.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tensordbg.capture.outcome import Outcome, Reading, compare
from tensordbg.capture.reader import Capture, open_capture
from tensordbg.capture.replayed import Replayed, ReplayedStep, write_replayed
from tensordbg.capture.tensors import Array
from tensordbg.errors import StepRaisedError, TensordbgError
from tensordbg.recording.backend import StepReplayer
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session
from tensordbg.recording.support import REPLAY
from tensordbg.replaying.bisect import bisect, chosen
from tensordbg.replaying.framework import backend_for
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.trapping.rules import RAISED


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
        runs = [_run(replayer, capture, replayer.arguments) for _ in range(plan.times)]
        bisected = bisect(replayer, capture.header.trouble)
        with _recorded(session):
            _note_end(session, [_run(replayer, capture, chosen(replayer, bisected, bisected.smallest))])
    else:
        bisected = None
        with _recorded(session):
            runs = [_run(replayer, capture, replayer.arguments) for _ in range(plan.times)]
            _note_end(session, runs)
    left = replayer.ruined(), replayer.moved(), replayer.uncompiled
    steps = tuple(_came_out(each, capture) for each in runs)
    write_replayed(trace, Replayed(plan.capture, steps, replayer.random, replayer.notes, bisected, *left))


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


def _run(replayer: StepReplayer, capture: Capture, given: Mapping[str, Array]) -> tuple[Reading, ...] | StepRaisedError:
    """What was tested, or the error of a step that did not return when it was captured either."""
    try:
        return replayer.run(given)
    except StepRaisedError as error:
        if capture.header.trouble.kind != RAISED:
            raise
        return error


def _came_out(run: tuple[Reading, ...] | StepRaisedError, capture: Capture) -> ReplayedStep:
    if isinstance(run, StepRaisedError):
        return ReplayedStep(Outcome.RAISED, ())
    return ReplayedStep(compare(capture.header.trouble, run), run)


def _note_end(session: Session, runs: Sequence[tuple[Reading, ...] | StepRaisedError]) -> None:
    """Has the trace tell which operation raised, as of a program that ended so."""
    for error in [run for run in runs if isinstance(run, StepRaisedError)][-1:]:
        session.note_end(error.__cause__ or error)


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
