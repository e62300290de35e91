"""Brings a capture of several steps, of which one left a variable bad, down to a capture of that step."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tensordbg.capture.header import SERIES
from tensordbg.capture.reader import list_captures, open_capture
from tensordbg.errors import CaptureError
from tensordbg.replaying.plan import ReplayPlan


def one_step_of(plan: ReplayPlan) -> Path:
    """Returns a capture of one step: that of the plan, or one that is made of its several in a process of its own.

    Raises:
        CaptureError: If it can't be opened, or the step can't be found here.
    """
    path = Path(plan.capture)
    header = open_capture(path).header
    if not header.later:
        return path
    for other in list_captures(path.absolute().parent):
        try:
            if open_capture(other).header.extra.get(SERIES) == header.id:
                return other
        except CaptureError:
            continue
    command = [sys.executable, "-m", "tensordbg.replaying.series_launch", plan.to_json()]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise CaptureError(f"{path} could not be brought down to one step")
    made = Path(done.stdout.splitlines()[-1])
    sys.stderr.write(f"tdbg: {path}: step {open_capture(made).header.step} did it; it is captured alone in {made}\n")
    return made
