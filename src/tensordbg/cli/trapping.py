"""What `tdbg trap` and `tdbg replay` do: run the program, or the step, in its own process; tell what came of it."""

from __future__ import annotations

import sys
from pathlib import Path

from tensordbg.capture.outcome import Outcome
from tensordbg.capture.reader import list_captures
from tensordbg.cli.arguments import DEFAULT_FOLDER
from tensordbg.cli.child import Child, end_as
from tensordbg.cli.program import Program
from tensordbg.errors import CaptureError, RecordingError
from tensordbg.recording.replay_launch import read_outcomes
from tensordbg.recording.trap_plan import TrapPlan
from tensordbg.trace.writer import new_trace_folder

_SAID = {
    Outcome.SAME: "the step went wrong again, the same bit for bit",
    Outcome.ALIKE: "the step went wrong again in the same tensors and kinds, with other bits",
    Outcome.OTHER: "the step went wrong again, but in other tensors or kinds",
    Outcome.CLEAN: "the step came out clean",
}


def run_trapped(program: Program, plan: TrapPlan, replaying: bool) -> int:
    """Runs a program with a trap, and replays the first of its captures if it made any.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        RecordingError: If no capture can be written; the program has not been started then.
    """
    try:
        plan.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordingError(
            f"{plan.folder}: no captures can be kept here ({error.strerror}); give --captures"
        ) from None
    before = set(list_captures(plan.folder))
    child = Child(program.trap_command(plan))
    child.start()
    status = child.wait()
    made = [path for path in list_captures(plan.folder) if path not in before]
    if made and replaying:
        try:
            replay_capture(made[0], Path(DEFAULT_FOLDER), 1)
        except (CaptureError, RecordingError) as error:
            _say(f"not replayed: {error}")
    return end_as(status)


def replay_capture(capture: Path, out: Path, times: int) -> Path:
    """Runs a captured step again and says what came of it and why.

    Returns:
        The trace of the replay.

    Raises:
        CaptureError: If it could not be replayed.
        RecordingError: If no trace can be made.
    """
    trace = new_trace_folder(out, f"replay-{capture.name}")
    child = Child([sys.executable, "-m", "tensordbg.recording.replay_launch", str(trace), str(capture), str(times)])
    child.start()
    if child.wait() != 0:
        raise CaptureError(f"{capture} could not be replayed")
    _tell(capture, trace)
    return trace


def _tell(capture: Path, trace: Path) -> None:
    from tensordbg.cli.summary import summarize

    outcomes, notes = read_outcomes(trace)
    for outcome in dict.fromkeys(outcomes):
        often = f" in {outcomes.count(outcome)} of {len(outcomes)} replays" if len(outcomes) > 1 else ""
        _say(f"replayed {capture}: {_SAID[outcome]}{often}")
    if Outcome.SAME not in outcomes:
        for note in notes or ["it may be a race or a fault of the hardware, as nothing random is in the step"]:
            _say(note)
    summarize(trace, 0.0)


def _say(line: str) -> None:
    sys.stderr.write(f"tdbg: {line}\n")
