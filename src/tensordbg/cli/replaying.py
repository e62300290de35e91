"""What `tdbg replay` does: run the captured step in a process of its own, and tell what came of it."""

from __future__ import annotations

import sys
from pathlib import Path

from tensordbg.capture.reader import open_capture
from tensordbg.capture.replayed import Replayed, read_replayed
from tensordbg.cli.child import Child
from tensordbg.errors import CaptureError
from tensordbg.recording.replay_plan import ReplayPlan
from tensordbg.trace.writer import new_trace_folder


def replay_capture(plan: ReplayPlan, out: Path) -> Path:
    """Runs a captured step again and says what came of it and why.

    Args:
        plan: What is replayed, and how.
        out: The folder in which the trace is made.

    Returns:
        The trace of the replay.

    Raises:
        CaptureError: If it could not be replayed.
        RecordingError: If no trace can be made.
    """
    from tensordbg.cli.summary import summarize
    from tensordbg.report.bisected import bisected_lines
    from tensordbg.report.replayed import verdict_lines

    trace, replayed = run_replay(plan, out)
    for line in verdict_lines(replayed, open_capture(plan.capture).header):
        say(line)
    if replayed.bisected is not None:
        for line in bisected_lines(replayed.bisected):
            say(line)
    summarize(trace, 0.0)
    return trace


def run_replay(plan: ReplayPlan, out: Path) -> tuple[Path, Replayed]:
    """Runs a captured step in a process of its own; what that process says of an error, it says itself.

    Raises:
        CaptureError: If it could not be replayed.
        RecordingError: If no trace can be made.
    """
    trace = new_trace_folder(out, f"replay-{Path(plan.capture).name}")
    child = Child([sys.executable, "-m", "tensordbg.recording.replay_launch", str(trace), plan.to_json()])
    child.start()
    if child.wait() != 0:
        raise CaptureError(f"{plan.capture} could not be replayed")
    return trace, read_replayed(trace)


def say(line: str) -> None:
    """One line on standard error."""
    sys.stderr.write(f"tdbg: {line}\n")
