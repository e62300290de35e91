"""Runs a program under recording as one of several processes, into a new trace beside theirs.

    python -m tensordbg.recording.launch_beside FOLDER PLAN (-m MODULE | SCRIPT) ARGS...

A program under recording starts others that work together with it, such as the ranks of a distributed training.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from tensordbg.errors import TensordbgError
from tensordbg.recording.handed_on import HandedOn, hand_on
from tensordbg.recording.launch import parse, record_launch
from tensordbg.recording.plan import Plan
from tensordbg.recording.saying import say
from tensordbg.recording.session import Session, seal
from tensordbg.recording.settings import settings_of_program
from tensordbg.trace.writer import new_trace_folder


def main() -> None:
    """Runs the program that the command line names."""
    folder, plan, *program = sys.argv[1:]
    module = program[1] if program[0] == "-m" else Path(program[0]).stem
    try:
        trace = new_trace_folder(Path(folder), module)
    except TensordbgError as error:
        sys.stderr.write(f"tdbg: error: {error}\n")
        sys.exit(2)
    record_launch(parse([str(trace), plan, *program]))


def run_function(words: Sequence[str], function: Callable[[], object]) -> None:
    """Runs a function of this process under recording.

    Args:
        words: FOLDER and PLAN.
        function: The function.
    """
    folder, plan = words
    hand_on(HandedOn(__name__, tuple(words)))
    try:
        asked = replace(Plan.from_json(plan), allow=settings_of_program().allow)
        trace = new_trace_folder(Path(folder), getattr(function, "__name__", "process"))
        session = Session(trace, asked, "process")
    except TensordbgError as error:
        say(f"warning: this process is not recorded: {error}")
        function()
        return
    session.start()
    try:
        function()
    except BaseException as error:
        session.note_end(error)
        session.stop(exit_code=1, exception=f"{type(error).__name__}: {error}")
        raise
    else:
        session.stop(exit_code=0)
    finally:
        seal(trace)


if __name__ == "__main__":
    main()
