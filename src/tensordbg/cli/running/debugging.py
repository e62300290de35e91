"""Runs a program under the debugger in its own process, and seals the trace, for `tdbg debug`."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from tensordbg.cli.arguments import DEFAULT_FOLDER
from tensordbg.cli.running.child import Child, end_as
from tensordbg.cli.running.program import Program
from tensordbg.debug.plan import DebugPlan
from tensordbg.errors import RecordingError, TraceError
from tensordbg.recording.settings import settings_above
from tensordbg.trace.folders.place import is_trace
from tensordbg.trace.writer import new_trace_folder


def debug(program: Program, out: Path, plan: DebugPlan) -> int:
    """Debugs a program, which records into a new trace in the folder `out`.

    Returns:
        The program's exit code, or what ended it; does not return where a signal ended it.

    Raises:
        RecordingError: If no trace can be made in `out`; the program has not been started then.
        UsageError: The program's settings are not understood; it has not been started either.
    """
    settings_above(program.folder)
    if is_trace(out):
        raise RecordingError(f"{out}: is a trace itself, and new ones are made beside it; name the folder above it")
    were_there = out.is_dir()
    trace = new_trace_folder(out, program.name)
    child = Child(program.debug_command(trace, plan))
    child.start()
    status = child.wait()
    if (trace / "trace.json").exists():
        _seal(trace)
    else:
        _take_away([trace] if were_there else [trace, out])
    return end_as(status)


def _take_away(folders: list[Path]) -> None:
    """Removes folders of ours in which nothing was begun, as far as they are empty."""
    for folder in folders:
        with contextlib.suppress(OSError):
            folder.rmdir()


def _seal(trace: Path) -> None:
    """Seals a trace and says where it is."""
    from tensordbg.trace.sealed.seal import seal_all

    try:
        seal_all(trace)
    except TraceError as error:
        # A full disk, say: the trace can be read as it is.
        sys.stderr.write(f"tdbg: warning: {error}\n")
    named = "" if trace.parent == Path(DEFAULT_FOLDER) else f" {trace}"
    sys.stderr.write(f"tdbg: {trace} holds what was recorded; `tdbg console{named}` opens it\n")
