"""Old and large runs: which of a folder may go, and which are kept though they are old.

A run goes with all its processes, or not at all. What can't be read, and what may still be written, is kept.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tensordbg.errors import RecordingError, TraceError
from tensordbg.trace.folders.place import clear_place
from tensordbg.trace.folders.runs import TraceRun, all_runs
from tensordbg.trace.locate import list_traces
from tensordbg.trace.reader import TraceReader, open_trace

UNSURE_S = 86_400
"""A trace that does not say how its program ended may grow on another machine; so long after a change it does not."""


@dataclass(frozen=True)
class Limits:
    """The bounds of what is kept; None where one does not matter."""

    oldest_s: float | None = None
    """Seconds since a run was changed last."""
    most_bytes: int | None = None
    """That all runs may take together: of those that may go, the oldest go first."""
    spare: frozenset[str] = frozenset({"running", "newest", "unreadable", "findings"})
    """Why runs are kept that are too old or too much."""


@dataclass(frozen=True)
class StoredRun:
    """A run as it lies on the disk."""

    name: str
    """Of its folder; of several the first, with how many there are."""
    traces: tuple[Path, ...]
    bytes: int
    changed_s: float
    """When one of its files was written last, since 1970."""
    why_kept: str = ""
    """A word of `Limits.spare`, or nothing."""
    what: str = ""
    """The same in words that one reads."""
    goes: bool = False
    """Whether it is beyond the limits and nothing keeps it."""


def stored_runs(folder: Path) -> list[StoredRun]:
    """All runs of a folder, the oldest first.

    Raises:
        TraceError: If there is no such folder.
    """
    listed = list_traces(folder)
    runs = [_stored(run, listed[-1]) for run in all_runs(folder)]
    return sorted(runs, key=lambda run: run.changed_s)


def chosen(runs: Sequence[StoredRun], limits: Limits, now_s: float) -> list[StoredRun]:
    """The runs with whether each goes: first what is too old, then from the oldest on what is too much."""
    total = sum(run.bytes for run in runs)
    result = []
    for run in runs:
        old = limits.oldest_s is not None and now_s - run.changed_s > limits.oldest_s
        large = limits.most_bytes is not None and total > limits.most_bytes
        goes = (old or large) and run.why_kept not in limits.spare
        total -= run.bytes if goes else 0
        result.append(replace(run, goes=goes))
    return result


def delete(run: StoredRun) -> None:
    """Deletes the traces of a run, and their folders where nothing else lies in them.

    Raises:
        RecordingError: If one of them is being recorded after all, or can't be deleted.
    """
    for trace in run.traces:
        if _newest(_files(trace)) > run.changed_s:
            raise RecordingError(f"{trace}: has been changed since it was looked at, and is kept; try again later")
    for trace in run.traces:
        clear_place(trace)
        with contextlib.suppress(OSError):
            trace.rmdir()


def _stored(run: TraceRun, newest: Path) -> StoredRun:
    traces = tuple(process.folder for process in run.processes)
    files = [file for trace in traces for file in _files(trace)]
    changed = _newest(files)
    spare, what = _why_kept(traces, changed, newest)
    more = f" and {len(traces) - 1} more" if len(traces) > 1 else ""
    size = sum(file.st_size for file in files)
    return StoredRun(f"{min(trace.name for trace in traces)}{more}", traces, size, changed, spare, what)


def _why_kept(traces: Sequence[Path], changed_s: float, newest: Path) -> tuple[str, str]:
    findings = ""
    for trace in traces:
        try:
            reader = open_trace(trace)
            if reader.running:
                return "running", "is being recorded"
            if reader.facts.end is None and time.time() - changed_s < UNSURE_S:
                return "running", "may be running on another machine: it was changed in the last day"
            findings = findings or _findings(reader)
        except TraceError:
            return "unreadable", "can't be read"
    if newest in traces:
        return "newest", "is the newest"
    return ("findings", findings) if findings else ("", "")


def _findings(reader: TraceReader) -> str:
    """What there is to be found in a trace, in words; empty where all is well."""
    failure, sums = reader.facts.failure, reader.sums()
    if failure is not None:
        return f"ended with {failure.error}"
    return f"{sums.bad:,} tensors are not finite" if sums.bad else ""


def _files(trace: Path) -> Iterator[os.stat_result]:
    for place, _, names in os.walk(trace):
        for name in names:
            with contextlib.suppress(OSError):
                yield os.lstat(Path(place) / name)


def _newest(files: Iterable[os.stat_result]) -> float:
    return max((file.st_mtime for file in files), default=0.0)
