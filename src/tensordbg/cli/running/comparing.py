"""Records two programs, one after the other, so that `tdbg diff --run` can compare them."""

from __future__ import annotations

import shlex
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tensordbg.cli.output import print_note
from tensordbg.cli.running.child import end_as
from tensordbg.cli.running.program import Program
from tensordbg.cli.running.supervise import record_beside
from tensordbg.errors import TraceError, UsageError
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan

_ASKED_TO_END = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})
"""Signals by which somebody ends the whole command, not the program a fault of its own."""
_INTERRUPTED = 128 + signal.SIGINT


@dataclass(frozen=True)
class RecordedProgram:
    """A program that has run, and the folder of its trace."""

    program: Program
    folder: Path
    status: int
    """Its exit code, or the negative number of the signal that ended it."""

    @property
    def failure(self) -> str:
        """How it ended, where that was not well; else empty."""
        name = " ".join(self.program.words)
        if self.status < 0:
            return f"{name} was ended by {signal.Signals(-self.status).name}"
        return f"{name} ended with code {self.status}" if self.status else ""


def program_of(words: Sequence[str]) -> Program:
    """The program of `SCRIPT ARGS...` or `-m MODULE ARGS...`.

    Raises:
        UsageError: If there is none.
    """
    if not words or words == ["-m"]:
        raise UsageError("--run compares two programs, but one is missing; `tdbg diff --run REF.py -- PORT.py ARGS`")
    if words[0] == "-m":
        return Program.module(words[1], tuple(words[2:]))
    return Program.script(words[0], tuple(words[1:]))


def split_words(text: str) -> list[str]:
    """The words of a command line.

    Raises:
        UsageError: If a quotation in it does not end.
    """
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--run {text!r}: {error}; write it as a shell would take it") from None


def record_both(reference: Program, other: Program, out: str | None) -> tuple[RecordedProgram, RecordedProgram]:
    """Records two programs into the folders `a` and `b`; does not return where somebody ended one by a signal.

    Args:
        reference: The program that runs first.
        other: The program that is compared with it.
        out: The folder that gets `a` and `b`; a temporary one by default, which is told and stays.

    Raises:
        RecordingError: If there is no room for the traces.
        UsageError: If nothing was recorded of a program.
    """
    folder = Path(tempfile.mkdtemp(prefix="tdbg-diff-") if out is None else out)
    print_note(f"tdbg: the traces are in {folder}")
    return _recorded(reference, folder / "a"), _recorded(other, folder / "b")


def _recorded(program: Program, folder: Path) -> RecordedProgram:
    print_note(f"tdbg: recording {' '.join(program.words)}")
    status = record_beside(program, folder, Plan(Detail.HEALTH))
    if -status in _ASKED_TO_END or status == _INTERRUPTED:
        sys.exit(end_as(status))
    result = RecordedProgram(program, folder, status)
    if not _has_recorded(folder):
        how = result.failure or f"{' '.join(program.words)} ended"
        raise UsageError(f"{how}, and nothing was recorded of it; a program of TensorFlow or PyTorch can be compared")
    return result


def _has_recorded(folder: Path) -> bool:
    from tensordbg.trace.folders.runs import find_run
    from tensordbg.trace.reader import open_trace

    try:
        return any(open_trace(process.folder).tensor_count for process in find_run(folder).processes)
    except TraceError:
        return False
