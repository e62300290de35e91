"""Finds traces on disk."""

from __future__ import annotations

from pathlib import Path

from tensordbg.errors import TraceError
from tensordbg.json_input import load_json
from tensordbg.opening import is_regular, read_whole
from tensordbg.remote.copies import at_hand, look
from tensordbg.trace.damage import reading_of
from tensordbg.trace.program.metadata import MOST_METADATA


def list_traces(folder: Path | str) -> list[Path]:
    """The traces that lie in a folder, the oldest first.

    Raises:
        TraceError: If there is no such folder.
    """
    parent = at_hand(folder)
    _check_folder(parent)
    look(parent)
    with reading_of(parent):
        traces = [entry for entry in parent.iterdir() if is_trace(entry)]
        return sorted(traces, key=lambda trace: (_created(trace), trace.name))


def find_trace(path: Path | str) -> Path:
    """The trace in a folder: that folder itself, or the newest of the traces that lie in it.

    Raises:
        TraceError: If there is none.
    """
    folder = at_hand(path)
    _check_folder(folder)
    if is_trace(folder):
        return folder
    traces = list_traces(folder)
    if not traces:
        raise TraceError(f"{folder}: holds no trace; record one with `tdbg run`, or give the folder of another")
    return traces[-1]


def is_trace(folder: Path) -> bool:
    """Whether a folder is a trace, of any format."""
    return is_regular(folder / "trace.json")


def _check_folder(folder: Path) -> None:
    advice = "give a trace, or a folder of traces as `tdbg run` makes it"
    if not folder.exists():
        raise TraceError(f"{folder}: does not exist; {advice}")
    if not folder.is_dir():
        raise TraceError(f"{folder}: is a file, but a trace is a folder; {advice}")


def _created(trace: Path) -> int:
    """When a trace began, in nanoseconds; what can't be read is dated by its file."""
    path = trace / "trace.json"
    try:
        return int(load_json(read_whole(path, MOST_METADATA))["created_ns"])
    except (OSError, ValueError, TypeError, LookupError, OverflowError):
        return path.stat().st_mtime_ns if path.exists() else 0
