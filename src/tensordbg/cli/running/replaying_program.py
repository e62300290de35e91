"""Replays with the step's own program: runs it eagerly, stops in a debugger, tries out a changed source."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

from tensordbg.capture.reader import Capture, list_captures, open_capture
from tensordbg.capture.replayed import REPLAY_FILE, read_replayed
from tensordbg.cli.output import print_rich
from tensordbg.cli.running.child import Child
from tensordbg.cli.running.editor_port import check_editor_port
from tensordbg.cli.running.program import Program
from tensordbg.cli.running.replaying import run_replay, say
from tensordbg.errors import CaptureError, UsageError
from tensordbg.packages import is_among_packages
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.replaying.program import Patched, ProgramReplay, Way
from tensordbg.trace.writer import new_trace_folder


def program_of(capture: Capture, words: tuple[str, ...]) -> Program:
    """Returns the program that the user names; what the capture names is never run by itself.

    Raises:
        UsageError: If none is named.
    """
    if words:
        return Program.module(words[1], words[2:]) if words[0] == "-m" else Program.script(words[0], words[1:])
    command = shlex.join(capture.header.command) or "nothing"
    raise UsageError(
        f"no program is named; give the step's own behind the capture, which says that it was `{command}` in "
        f"{capture.header.folder}"
    )


def replay_eagerly(plan: ReplayPlan, program: Program, out: Path) -> None:
    """Runs the step's Python function eagerly on what was captured, and says what was found."""
    from tensordbg.cli.running.summary import summarize
    from tensordbg.report.replays.replayed import outcome_words

    trace = new_trace_folder(out, f"eager-{Path(plan.capture).name}")
    _start(program, ProgramReplay(plan.capture, Way.RECORD, str(trace)))
    if (trace / REPLAY_FILE).exists():
        for run in read_replayed(trace).runs:
            say(f"run by {program.name}: {outcome_words(run.outcome, open_capture(plan.capture).header)}")
    summarize(trace, 0.0)


def stop_eagerly(plan: ReplayPlan, program: Program, out: Path, stop: str, port: int) -> None:
    """Runs it eagerly under a debugger, up to a line.

    Args:
        plan: The replay of the captured step.
        program: Which has it.
        out: Where the trace of the replay goes by which the origin's line is found.
        stop: FILE:LINE, or empty for the origin's line.
        port: Where an editor attaches, 0 for pdb.

    Raises:
        UsageError: If there is no such line, or no editor could attach.
    """
    check_editor_port(port, "use --pdb")
    file, line = _place_of(stop) if stop else _origin_of(plan, out)
    say(f"stopping at {file}:{line}")
    way = Way.DAP if port else Way.PDB
    _start(program, ProgramReplay(plan.capture, way, file=file, line=line, port=port))


def replay_patched(plan: ReplayPlan, program: Program, out: Path, patch: str) -> None:
    """Traces the step from a changed source, replays it as captured and changed, and shows both.

    Raises:
        CaptureError: If the program does not come to the step.
        UsageError: If the file takes the place of none that was captured.
    """
    from tensordbg.cli.running.summary import summarize
    from tensordbg.report.replays.side_by_side import side_by_side_table

    patched = _patched(open_capture(plan.capture), patch)
    with tempfile.TemporaryDirectory(prefix="tdbg-patched-") as folder:
        _start(program, ProgramReplay(plan.capture, Way.CAPTURE, folder, patched=patched))
        (changed,) = list_captures(folder)
        _, before = run_replay(plan, out)
        # It has just been made by the program that the user named.
        trace, after = run_replay(ReplayPlan(str(changed), trusted=True), out)
    print_rich("", side_by_side_table(before, after, f"with {Path(patched.by).name}"), "")
    summarize(trace, 0.0)


def _start(program: Program, plan: ProgramReplay) -> None:
    child = Child(program.replay_command(plan))
    child.start()
    if child.wait() != 0:
        raise CaptureError(f"{plan.capture} could not be run by {program.name}")


def _place_of(stop: str) -> tuple[str, int]:
    file, _, line = stop.rpartition(":")
    if not file or not line.isdecimal() or not int(line):
        raise UsageError(f"{stop!r} is no place to stop; write FILE:LINE, such as model.py:31")
    return str(Path(file).absolute()) if Path(file).exists() else file, int(line)


def _origin_of(plan: ReplayPlan, out: Path) -> tuple[str, int]:
    """The line where the trouble begins, by a replay."""
    from tensordbg.analysis.why import why
    from tensordbg.trace.reader import open_trace

    trace, _ = run_replay(plan, out)
    origins = why(open_trace(trace)).origins
    ordered = sorted(origins, key=lambda origin: not origin.consequential)
    source = next((origin.place for origin in ordered if origin.place is not None), None)
    if source is None:
        raise UsageError(f"the replay of {plan.capture} names no line of the program; give --break FILE:LINE")
    return source.file, source.line


def _patched(capture: Capture, patch: str) -> Patched:
    old, equals, new = patch.rpartition("=")
    if not Path(new).is_file():
        raise UsageError(f"{new}: no such file; give the changed source")
    name = Path(old if equals else new).name
    known = [str(row["file"]) for row in capture.rows("sources") if "file" in row]
    file = next((each for each in known if Path(each).name == name), None)
    if file is None:
        listed = ", ".join(sorted({Path(each).name for each in known if not is_among_packages(each)}))
        raise UsageError(f"no source of the step is called {name} ({listed} are); write OLD.py={new}")
    return Patched(file, str(Path(new).absolute()))
