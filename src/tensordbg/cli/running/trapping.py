"""Runs the program in its own process, replays what it captured, tells what came of it, for `tdbg trap`."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tensordbg.capture.reader import list_captures, open_capture
from tensordbg.cli.arguments import DEFAULT_FOLDER
from tensordbg.cli.running.child import Child, end_as
from tensordbg.cli.running.program import Program
from tensordbg.cli.running.replaying import replay_capture, say
from tensordbg.errors import CaptureError, RecordingError
from tensordbg.recording.support import REPLAY
from tensordbg.replaying.framework import backend_for
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.trapping.plan import TrapPlan
from tensordbg.trapping.session import make_folder

_REFUSED = 2
"""The exit code where a framework of the program can't be trapped."""


def run_trapped(program: Program, plan: TrapPlan, replaying: bool) -> int:
    """Runs a program with a trap, and replays the first of its captures if it made any.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        RecordingError: If no capture can be written; the program has not been started then.
    """
    is_new = not plan.folder.exists()
    make_folder(plan)
    before = set(list_captures(plan.folder))
    child = Child(program.trap_command(plan))
    child.start()
    status = child.wait()
    made = [path for path in list_captures(plan.folder) if path not in before]
    if is_new and status == _REFUSED:
        with contextlib.suppress(OSError):  # captures are in it
            plan.folder.rmdir()
    if made and replaying:
        try:
            # Which sample did it can be told by its row only.
            capture = open_capture(made[0])
            backend_for(capture, REPLAY)  # before a trace is begun for it
            header = capture.header
            bisect = any((header.origins, *header.later_origins))
            # It has just been made of the user's own program.
            replay_capture(ReplayPlan(str(made[0]), bisect=bisect, trusted=True), Path(DEFAULT_FOLDER))
        except (CaptureError, RecordingError) as error:
            say(f"not replayed: {error}")
    return end_as(status)
