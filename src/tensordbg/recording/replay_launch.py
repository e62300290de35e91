"""Runs a captured step again under recording.

    python -m tensordbg.recording.replay_launch TRACE CAPTURE TIMES

`tdbg replay` starts this and waits. What came of it goes to `replay.json` in the trace's folder.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from tensordbg.capture.header import Trouble
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.reader import open_capture
from tensordbg.errors import CaptureError, TensordbgError
from tensordbg.recording.backend import REPLAYERS, named
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session

REPLAY_FILE = "replay.json"


def replay(trace: Path, folder: Path, times: int) -> None:
    """Runs the step so often, each time from the same state, and records it.

    Raises:
        CaptureError: If the capture can't be replayed.
        RecordingError: If the trace can't be made.
    """
    capture = open_capture(folder)
    framework = next((name for name in REPLAYERS if name in capture.header.frameworks), None)
    if framework is None:
        known = ", ".join(REPLAYERS)
        raise CaptureError(f"{folder} is of {', '.join(capture.header.frameworks) or 'no framework'}, not of {known}")
    session = Session(trace, Plan(), f"replay of {folder.name}", ("tdbg", "replay", str(folder)))
    session.start()
    try:
        importlib.import_module(framework)
        replayer = named(REPLAYERS[framework])(capture)
        found: list[Trouble | None] = [replayer.run() for _ in range(times)]
        notes = replayer.notes
    finally:
        session.stop(0)
    outcomes = [compare(capture.header.trouble, each).value for each in found]
    (trace / REPLAY_FILE).write_text(json.dumps({"capture": str(folder), "outcomes": outcomes, "notes": list(notes)}))


def read_outcomes(trace: Path) -> tuple[list[Outcome], list[str]]:
    """What came of each run, and what should be known of it."""
    row = json.loads((trace / REPLAY_FILE).read_text())
    return [Outcome(each) for each in row["outcomes"]], row["notes"]


def main() -> None:
    """Replays what the command line names."""
    trace, folder, times = sys.argv[1:]
    try:
        replay(Path(trace), Path(folder), int(times))
    except TensordbgError as error:
        sys.stderr.write(f"tdbg: error: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
