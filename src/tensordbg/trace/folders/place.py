"""A folder that a user names for one trace: whether it can be used, and what becomes of a trace that lies there."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from tensordbg.errors import RecordingError, TraceError


def make_place(folder: Path) -> None:
    """Makes a folder for a trace, unless it is there and empty.

    Raises:
        RecordingError: If something lies there, or it can't be made.
    """
    if is_trace(folder):
        raise RecordingError(f"{folder}: holds a trace already; choose another folder, or replace it with --force")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise RecordingError(f"{folder}: holds something else already; choose a folder that does not exist yet")
    except (FileExistsError, NotADirectoryError):
        raise RecordingError(f"{folder}: no trace can be written there (a file lies there); choose another") from None
    except OSError as error:
        raise RecordingError(
            f"{folder}: no trace can be written there ({error.strerror}); choose another folder"
        ) from error


def clear_place(folder: Path) -> None:
    """Deletes the trace that lies in a folder, if one does, or those of one run; other files are not touched.

    Raises:
        RecordingError: If its program is running, or it can't be deleted.
    """
    if not is_trace(folder):
        _clear_processes(folder)
        return
    # They bring pyarrow, which is wanted only here.
    from tensordbg.trace.reader import open_trace
    from tensordbg.trace.sealed.manifest import read_manifest
    from tensordbg.trace.writer import LINE_FILES

    with contextlib.suppress(TraceError):  # a damaged trace may go
        if open_trace(folder).running:
            raise RecordingError(f"{folder}: holds a trace that is being recorded; end that program first")
    parts: set[str] = set()
    with contextlib.suppress(TraceError):
        parts = read_manifest(folder).files
    try:
        for name in ("segments", "values", "graphs"):
            with contextlib.suppress(FileNotFoundError):
                shutil.rmtree(folder / name)
        lines = [f"{name}.jsonl" for name in (*LINE_FILES, "names")]
        # Until the last one is gone it is a trace that can be replaced.
        for name in (*sorted(parts), *lines, "sealed.json", "trace.json"):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise RecordingError(
            f"{folder}: the trace can't be replaced ({error.strerror}); choose another folder"
        ) from error


def is_trace(folder: Path) -> bool:
    """Whether a trace lies in a folder."""
    return (folder / "trace.json").exists()


def _clear_processes(folder: Path) -> None:
    """Deletes the traces of the processes of one run, where a folder holds nothing else."""
    inside = [*folder.iterdir()] if folder.is_dir() else []
    if not inside or not all(is_trace(each) for each in inside):
        return
    from tensordbg.trace.folders.runs import run_with

    try:
        run = run_with(inside[0])
    except TraceError:
        return
    if {each.folder for each in run.processes} != {*inside}:
        return
    for each in inside:
        clear_place(each)
        with contextlib.suppress(OSError):
            each.rmdir()
