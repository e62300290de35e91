"""Runs the captured step in a process of its own, and tells what came of it, for `tdbg replay`."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tensordbg.capture.reader import open_capture
from tensordbg.capture.replayed import Replayed, read_replayed
from tensordbg.cli.output import print_note, print_rich
from tensordbg.cli.running.child import Child
from tensordbg.cli.running.narrowing import one_step_of
from tensordbg.errors import CaptureError
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.trace.writer import new_trace_folder

if TYPE_CHECKING:
    from rich.console import RenderableType


def replay_capture(plan: ReplayPlan, out: Path) -> Path:
    """Runs a captured step again and says what came of it and why.

    Args:
        plan: What is replayed, and how.
        out: The folder in which the trace is made.

    Returns:
        The trace of the replay; of the changed one, where the plan changes anything.

    Raises:
        CaptureError: If it could not be replayed.
        RecordingError: If no trace can be made.
    """
    from tensordbg.cli.running.summary import summarize
    from tensordbg.report.replays.bisected import bisected_lines
    from tensordbg.report.replays.replayed import verdict_lines

    plan = replace(plan, capture=str(one_step_of(plan)))
    trace, replayed = run_replay(replace(plan, precision="", changes=()), out)
    header = open_capture(plan.capture).header
    for line in verdict_lines(replayed, header):
        say(line)
    if replayed.bisected is not None:
        for line in bisected_lines(replayed.bisected, header.origins):
            say(line)
    if plan.changed:
        trace = _compare(plan, out, trace)
    summarize(trace, 0.0)
    return trace


def _compare(plan: ReplayPlan, out: Path, before: Path) -> Path:
    """Replays the changed step too, and shows both."""
    from tensordbg.analysis.tensors.divergence import find_divergence
    from tensordbg.report.replays.side_by_side import divergence_text, side_by_side_table
    from tensordbg.trace.reader import open_trace

    if plan.bisect:  # what was recorded is a part of the batch
        before, _ = run_replay(replace(plan, bisect=False, precision="", changes=()), out)
    after, changed = run_replay(replace(plan, bisect=False), out)
    for note in changed.notes:
        say(note)
    parts: list[RenderableType] = [side_by_side_table(read_replayed(before), changed, plan.changed)]
    if plan.precision:
        parts += ["", divergence_text(find_divergence(open_trace(before), open_trace(after)))]
    print_rich("", *parts, "")
    return after


def run_replay(plan: ReplayPlan, out: Path) -> tuple[Path, Replayed]:
    """Runs a captured step in a process of its own; what that process says of an error, it says itself.

    Raises:
        CaptureError: If it could not be replayed.
        RecordingError: If no trace can be made.
    """
    trace = new_trace_folder(out, f"replay-{Path(plan.capture).name}")
    child = Child([sys.executable, "-m", "tensordbg.replaying.launch", str(trace), plan.to_json()])
    child.start()
    if child.wait() != 0:
        raise CaptureError(f"{plan.capture} could not be replayed")
    return trace, read_replayed(trace)


def say(line: str) -> None:
    """One line on standard error."""
    print_note(f"tdbg: {line}")
