"""Reserves a trace, records the program into it, seals it meanwhile and tells what came of it, for `tdbg run`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from tensordbg.cli.messages import one_line
from tensordbg.cli.running.child import Child, end_as
from tensordbg.cli.running.first_finding import FirstFinding
from tensordbg.cli.running.program import Program
from tensordbg.cli.running.sealing import Sealing
from tensordbg.errors import RecordingError
from tensordbg.packages import is_of
from tensordbg.recording.plan import Plan
from tensordbg.recording.settings import settings_above
from tensordbg.trace.folders.place import clear_place, is_trace, make_place
from tensordbg.trace.writer import new_trace_folder


def record(program: Program, out: Path, plan: Plan) -> int:
    """Records a program into a new trace in the folder `out`.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        RecordingError: If no trace can be made in `out`; the program has not been started then.
        UsageError: The program's settings are not understood; it has not been started either.
    """
    settings_above(program.folder)
    if is_trace(out):
        raise RecordingError(
            f"{out}: is a trace itself, and new ones are made beside it; name the folder above it, or replace it with "
            "--trace and --force"
        )
    return _record(program, new_trace_folder(out, program.name), plan)


def record_to_storage(program: Program, address: str, plan: Plan) -> int:
    """Records a program into a new trace on the local disk, and puts that into object storage, while it runs and after.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        RecordingError: If no trace can be made, or object storage can't be reached; the program has not been started
            then.
        UsageError: The address is of a kind that is not known here; or the program's settings are not understood.
    """
    from tensordbg.cli.running.uploads import Upload

    settings_above(program.folder)
    upload = Upload.begin(address)
    trace = new_trace_folder(upload.folder, program.name)
    child = Child(program.command(trace, plan))
    with upload:
        status = _supervise(child, trace)
    upload.finish()
    return end_as(status)


def record_into(program: Program, trace: Path, plan: Plan) -> int:
    """Records a program into the folder `trace`, which must be empty or not exist.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        RecordingError: If something lies there, or no trace can be made; the program has not been started then.
        UsageError: The program's settings are not understood; it has not been started either.
    """
    settings_above(program.folder)
    make_place(trace)
    return _record(program, trace, plan)


def record_instead(program: Program, trace: Path, plan: Plan) -> int:
    """Records a program into the folder `trace`; the trace that lies there, if one does, is deleted first.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        RecordingError: If something else lies there, or no trace can be made; the program has not been started then.
        UsageError: The program's settings are not understood; then nothing has been deleted either.
    """
    settings_above(program.folder)
    clear_place(trace)
    return record_into(program, trace, plan)


def record_beside(program: Program, out: Path, plan: Plan) -> int:
    """Records a program into a new trace in the folder `out`; what it prints goes to standard error.

    Returns:
        The program's exit code, or the negative number of the signal that ended it.

    Raises:
        RecordingError: If no trace can be made in `out`; the program has not been started then.
        UsageError: The program's settings are not understood; it has not been started either.
    """
    settings_above(program.folder)
    trace = new_trace_folder(out, program.name)
    return _supervise(Child(program.command(trace, plan), sys.stderr.fileno()), trace)


def _record(program: Program, trace: Path, plan: Plan) -> int:
    return end_as(_supervise(Child(program.command(trace, plan)), trace))


def _supervise(child: Child, trace: Path) -> int:
    began = time.monotonic()
    child.start()
    with Sealing(trace), FirstFinding(trace):
        status = child.wait()
    _tell(trace, time.monotonic() - began)
    return status


def check(program: Program) -> int:
    """Runs a program that ends at the first number that is not finite.

    Returns:
        The program's exit code; does not return where a signal ended the program.

    Raises:
        UsageError: The program's settings are not understood; it has not been started then.
    """
    settings_above(program.folder)
    child = Child(program.check_command())
    child.start()
    return end_as(child.wait())


def _tell(trace: Path, seconds: float) -> None:
    """Prints the summary; whatever goes wrong with it, the program's own exit code counts."""
    try:
        from tensordbg.cli.running.summary import summarize

        summarize(trace, seconds)
    except KeyboardInterrupt:
        print("tdbg: stopped; `tdbg why` reads the trace as it lies", file=sys.stderr)
    except Exception as error:  # noqa: BLE001
        kind = "" if is_of(type(error).__module__, {"tensordbg"}) else f"{type(error).__name__}: "
        print(f"tdbg: error: no summary of {trace}: {kind}{one_line(str(error))}", file=sys.stderr)
