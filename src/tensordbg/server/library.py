"""The runs below a folder, and the answers about each of them."""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tensordbg.enumeration import first_few
from tensordbg.errors import AbsentError, TraceError
from tensordbg.remote.copies import at_hand, look
from tensordbg.trace.folders.runs import TraceRun, find_run, run_with
from tensordbg.trace.locate import is_trace, list_traces
from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.program.running import is_running
from tensordbg.trace.sealed.snapshot import read_metadata
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.overview import RunList, RunSummary

_FRESH = 2.0
"""Seconds for which the folder is not looked through again."""
_OPEN = 4
"""Runs that are kept open."""
_NAMED = 3
"""Runs that are named where one was asked for that is not there."""
_DEEPEST = 12
"""Folders below one another that are looked into."""


@dataclass(frozen=True)
class _Found:
    """A run on disk."""

    name: str
    run: TraceRun
    created_ns: int


class Library:
    """All runs below a folder, or the one run that a trace is. May be asked from several threads at once."""

    def __init__(self, folder: Path, editor: str = "", against: Path | None = None) -> None:
        """Nothing is read yet.

        Args:
            folder: A trace, or a folder with traces at any depth.
            editor: Template of a link that opens a file in the editor, see `Overview`.
            against: A trace, or a folder whose newest run is meant, that is shown beside.
        """
        self._folder = at_hand(folder)
        self._against = against
        self._editor = editor
        self._lock = threading.Lock()
        self._found: dict[str, _Found] = {}
        self._looked = -_FRESH
        self._open: OrderedDict[str, tuple[TraceRun, RunAnswers]] = OrderedDict()

    def check(self) -> None:
        """Whether there is anything to show.

        Raises:
            TraceError: If there is no such folder, or no trace in it.
        """
        list_traces(self._folder)
        if not holds_trace(self._folder):
            raise TraceError(
                f"{self._folder}: holds no trace; record one with `tdbg run`, or give the folder of another"
            )

    def compared(self) -> tuple[str, str]:
        """The names of the newest run and of that which it is to be compared with.

        Raises:
            TraceError: If there is no such trace.
        """
        if self._against is None:
            return self._named("").name, ""
        found = self._look()
        run = find_run(self._against)
        beside = next(each.name for each in found.values() if each.run.processes == run.processes)
        others = [each for each in found.values() if each.name != beside] or list(found.values())
        within = [each for each in others if _is_within(each, self._folder)]
        return max(within or others, key=lambda each: (each.created_ns, each.name)).name, beside

    def runs(self) -> RunList:
        """All runs, the newest first."""
        found = sorted(self._look().values(), key=lambda each: (each.created_ns, each.name), reverse=True)
        return RunList(str(self._folder), tuple(_summary(each) for each in found))

    def answers(self, name: str) -> RunAnswers:
        """The answers about one run; an empty name means the newest.

        Raises:
            AbsentError: If there is none of this name.
        """
        found = self._named(name)
        with self._lock:
            run, answers = self._open.get(found.name, (None, None))
            if answers is None or run != found.run:
                answers = RunAnswers(found.run, found.name, self._editor)
            self._open[found.name] = (found.run, answers)
            self._open.move_to_end(found.name)
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)
            return answers

    def _named(self, name: str) -> _Found:
        found = self._look()
        if not found:
            raise AbsentError(f"{self._folder}: holds no trace; record one with `tdbg run`")
        if not name:
            return max(found.values(), key=lambda each: (each.created_ns, each.name))
        if name not in found:
            newest = sorted(found.values(), key=lambda each: each.created_ns, reverse=True)
            there = first_few([each.name for each in newest], _NAMED)
            raise AbsentError(f"{self._folder}: holds no run {name!r}; choose one that is there: {there}")
        return found[name]

    def _look(self) -> dict[str, _Found]:
        """The runs by name, at most a moment old."""
        with self._lock:
            if time.monotonic() - self._looked >= _FRESH:
                self._found = {each.name: each for each in _find(self._folder)}
                if self._against is not None:
                    _add(self._found, find_run(self._against))
                self._looked = time.monotonic()
            return self._found


def holds_trace(folder: Path) -> bool:
    """Whether there is a trace in a folder, at any depth."""
    return next(_folders_with_traces(folder), None) is not None


def _find(folder: Path) -> list[_Found]:
    if is_trace(folder):
        return [_Found(folder.resolve().name, find_run(folder), _created(folder))]
    return [found for parent in _folders_with_traces(folder) for found in _runs_in(folder, parent)]


def _add(found: dict[str, _Found], run: TraceRun) -> None:
    """Adds a run that may lie anywhere, under a name that no other has."""
    if any(each.run.processes == run.processes for each in found.values()):
        return
    folder = run.processes[0].folder.resolve()
    name = next(each for each in (folder.name, *_longer(folder)) if each not in found)
    found[name] = _Found(name, run, max(_created(each.folder) for each in run.processes))


def _longer(folder: Path) -> Iterator[str]:
    """Names of a folder with more and more of the folders above it."""
    for count in range(2, len(folder.parts) + 1):
        yield "/".join(folder.parts[-count:])


def _is_within(found: _Found, folder: Path) -> bool:
    return found.run.processes[0].folder.resolve().is_relative_to(folder.resolve())


def _runs_in(top: Path, parent: Path) -> list[_Found]:
    """The runs whose traces lie in one folder."""
    found: list[_Found] = []
    seen: set[Path] = set()
    for trace in reversed(list_traces(parent)):
        if trace in seen:
            continue
        run = run_with(trace)
        folders = [process.folder for process in run.processes]
        seen.update(folders)
        name = folders[0].relative_to(top).as_posix()
        found.append(_Found(name, run, max(_created(each) for each in folders)))
    return found


def _folders_with_traces(top: Path) -> Iterator[Path]:
    """The folders that traces lie in, in the order of their names; what is inside a trace is not looked at."""
    if is_trace(top):
        yield top
        return
    look(top)
    for folder, inner, _ in os.walk(top):
        here = Path(folder)
        traces = [name for name in inner if is_trace(here / name)]
        if traces:
            yield here
        deep = len(here.relative_to(top).parts) >= _DEEPEST
        inner[:] = [] if deep else sorted(name for name in inner if name not in traces and not name.startswith("."))
        for name in inner:
            look(here / name)


def _summary(found: _Found) -> RunSummary:
    processes = found.run.processes
    metadata = [stored for stored in (_metadata(process.folder) for process in processes) if stored]
    several = len(processes) > 1
    return RunSummary(
        run=found.name,
        program=metadata[0].program if metadata else processes[0].folder.name,
        created_ns=found.created_ns,
        processes=tuple(process.name if several else "" for process in processes),
        running=any(is_running(each) for each in metadata),
    )


def _created(folder: Path) -> int:
    metadata = _metadata(folder)
    return metadata.created_ns if metadata else 0


def _metadata(folder: Path) -> TraceMetadata | None:
    """What a trace says of itself; None where that can't be read, which is said when the trace is opened."""
    try:
        return read_metadata(folder).metadata
    except TraceError:
        return None
