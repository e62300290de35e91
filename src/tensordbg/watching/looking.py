"""Looks at a run that may be growing, and reads it only where it has grown since the last look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.why import why_of_run
from tensordbg.errors import TraceError
from tensordbg.trace.folders.progress import Progress, progress_of
from tensordbg.trace.folders.runs import TraceRun, find_run
from tensordbg.trace.reader import TraceReader, open_trace


@dataclass(frozen=True)
class Figures:
    """One process in numbers."""

    events: int
    not_finite: int
    steps: int
    dropped: int
    """Events that can't be read, or were overwritten as only the last are kept."""
    last_s: float
    """When the last tensor was computed, since 1970."""
    running: bool
    overhead: float | None = None
    """Which share of the program's own time recording has cost; None where nothing measured that."""


@dataclass(frozen=True)
class Look:
    """A run at one moment."""

    run: TraceRun
    result: WhyResult
    figures: Mapping[str, Figures]
    """By the name of the process."""

    @property
    def running(self) -> bool:
        """Whether more may be recorded."""
        return any(each.running for each in self.figures.values())


class Looking:
    """Looks at the newest run of a folder, or at one trace."""

    def __init__(self, path: Path) -> None:
        """Of a path where there may be nothing yet."""
        self._path = path
        self._seen: dict[Path, Progress] = {}
        self._last: Look | None = None

    def look(self) -> Look | None:
        """The run as it is now; None where there is none, or it can't be read at this moment."""
        try:
            run = find_run(self._path)
            readers = {process.name: open_trace(process.folder) for process in run.processes}
            seen = {reader.path: _progress(reader) for reader in readers.values()}
            grown = self._last is None or seen != self._seen
            if grown or (self._last is not None and self._last.running):
                self._last = self._read(run, readers, grown or len(readers) > 1)
            self._seen = seen
        except TraceError:
            return None
        return self._last

    def _read(self, run: TraceRun, readers: Mapping[str, TraceReader], study: bool) -> Look:
        """A look; one of several processes may stand still, so they are studied though nothing has grown."""
        named = readers if len(readers) > 1 else {"": next(iter(readers.values()))}
        result = why_of_run(named) if study or self._last is None else self._last.result
        return Look(run, result, {name: _figures(reader) for name, reader in readers.items()})


def _progress(reader: TraceReader) -> Progress:
    return progress_of(reader.path, reader.metadata.segment_records, reader.metadata.last)


def _figures(reader: TraceReader) -> Figures:
    sums = reader.sums()
    facts = reader.facts
    dropped = reader.damage + facts.overwritten
    return Figures(sums.events, sums.bad, sums.steps, dropped, sums.last_ns / 1e9, reader.running, facts.overhead)
