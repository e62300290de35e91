"""Runs a program under the debugger, as `python program.py` or `python -m package` would run it.

    python -m tensordbg.debug.launch TRACE PLAN (-m MODULE | SCRIPT) ARGS...

`tdbg debug` starts this with the user's own interpreter and waits. The console opens in this process, in the thread
that makes the run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tensordbg.console.breakpoints import chosen_line, split_condition
from tensordbg.console.faces import choose_face
from tensordbg.console.language.filters import Filters
from tensordbg.debug.debugger import EXIT, Debugger
from tensordbg.debug.plan import DebugPlan
from tensordbg.debug.step_capture import StepCapture
from tensordbg.errors import TensordbgError
from tensordbg.model import Detail
from tensordbg.recording.ability_watch import AbilityWatch, RefusedError
from tensordbg.recording.backend import Debug
from tensordbg.recording.launch import Ending, LaunchedProgram, command_of, hide_our_frames, parse_program, run_program
from tensordbg.recording.plan import Plan
from tensordbg.recording.session import Session
from tensordbg.recording.settings import settings_above
from tensordbg.recording.support import DEBUG
from tensordbg.recording.value_filter import ValueFilter
from tensordbg.trace.program.metadata import AS_TOLD
from tensordbg.trace.program.process import RUN_VARIABLE


def recording_plan(plan: DebugPlan, folder: Path) -> Plan:
    """The plan of recording a program in a folder: whole tensors, of the runs that the log is not told to forget."""
    allow = settings_above(folder).allow
    return Plan(Detail.VALUES, ValueFilter(budget=plan.budget), last=AS_TOLD, allow=allow)


def debug(program: LaunchedProgram, trace: Path, plan: DebugPlan) -> tuple[Session, Debugger]:
    """Begins to record this process, which is about to run a program, and to stand before its runs.

    Raises:
        RecordingError: If it can't be recorded.
        UsageError: If a file of filters, a line to stop at, or the program's settings, are not understood.
    """
    filters = Filters()
    for file in plan.filters:
        filters.add_file(Path(file))
    name = program.module or Path(program.script).stem
    session = Session(trace, recording_plan(plan, program.folder), name, command_of(program))
    # The script of a batch job that has seen what it wanted to see has not failed.
    exit_code = EXIT if plan.script is None else 0
    debugger = Debugger(session, choose_face(plan.script, plan.plain), filters, exit_code)
    session.recorder.watch, session.recorder.lines = debugger, debugger.lines
    for each in plan.breaks:
        debugger.program.add_breakpoint(chosen_line(*split_condition(each), {})[0])
    debugger.program.capturing = StepCapture(Path("captures").absolute())
    return session, debugger


def _run(program: LaunchedProgram, session: Session) -> None:
    try:
        run_program(program)
    except RefusedError:
        session.discard()
        raise


def _recorded_already(_: Debug) -> None:
    """Does nothing: what is recorded stops by itself."""


def main() -> None:
    """Runs the program that the command line names."""
    trace, plan, *words = sys.argv[1:]
    program = parse_program(words)
    try:
        session, debugger = debug(program, Path(trace), DebugPlan.from_json(plan))
    except TensordbgError as error:
        sys.stderr.write(f"tdbg: error: {error}\n")
        sys.exit(2)
    os.environ[RUN_VARIABLE] = os.environ.get(RUN_VARIABLE) or session.id
    ending = Ending(session)
    debugger.interrupt.install()
    try:
        with AbilityWatch(DEBUG, program, _recorded_already):
            session.start()
            if debugger.program.capturing is not None:
                debugger.program.capturing.install()
            _run(program, session)
            debugger.ended()
    except RefusedError:
        raise
    except BaseException as error:
        ending.take(error)
        hide_our_frames()
        debugger.failed(error)
        raise


if __name__ == "__main__":
    main()
