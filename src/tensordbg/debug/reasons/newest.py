"""The tensors of the run that was made last, as filters look at them: opened after each run, and so without delay."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.view.caching import kept
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.records.sites import NamedSites, SiteNames, name_sites
from tensordbg.console.language.conditions import FilteredTrace
from tensordbg.console.language.filters import Filter
from tensordbg.console.language.findings import KINDS
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.tail import TraceTail


class NewestEvents:
    """Opens what was recorded last."""

    def __init__(self, folder: Path) -> None:
        """Of a trace that this process is recording.

        Raises:
            TraceError: If it can't be read.
        """
        self._folder = folder
        self._tail = TraceTail(folder)
        self._version = 0
        self._known: _KnownProgram | None = None

    def since(self, sequence: int) -> Newest:
        """The events after the record with a sequence number.

        Raises:
            TraceError: If the trace can't be read.
        """
        reader = self._tail.since(sequence)
        if self._known is None or self._tail.version != self._version:
            self._version = self._tail.version
            self._known = _KnownProgram(reader)
        return Newest(_RunTrace(reader, self._known), self._folder)


@dataclass(frozen=True)
class Newest:
    """Some events, the last ones of a trace."""

    opened: FilteredTrace
    folder: Path

    def any_passes(self, wanted: Filter) -> bool:
        """Whether one of them passes a filter; raises as `first_passing`."""
        return self.first_passing(wanted) is not None

    def first_passing(self, wanted: Filter, exclude: str = "") -> int | None:
        """The number of the execution of the first of them that passes a filter, None where none does.

        Those of operations whose name fits `exclude` don't count.

        Raises:
            UsageError: If a filter of the user fails.
            TraceError: If the trace can't be read.
        """
        opened: FilteredTrace = self.opened
        count = opened.event_count
        if looks_over_runs(wanted) and count:
            # Slow, but only what led up to them tells.
            opened = OpenedTrace(open_trace(self.folder))
        events = wanted.passing(opened, np.arange(max(opened.event_count - count, 0), opened.event_count))
        if exclude and len(events):
            sites = opened.columns.whole("site")[events]
            counts = [each for each in np.unique(sites).tolist() if _counts(opened, each, exclude)]
            events = events[np.isin(sites, counts)]
        return int(opened.columns.whole("execution")[events].min()) if len(events) else None


def _counts(opened: NamedSites, site: int, exclude: str) -> bool:
    return re.match(exclude, opened.site(site).site.name) is None


def looks_over_runs(wanted: Filter) -> bool:
    """Whether a filter names what is found by looking at many runs, such as a warning."""
    return not set(KINDS).isdisjoint(re.findall(r"\w+", wanted.text))


class _KnownProgram:
    """What the trace says of the program, read when it is asked for."""

    def __init__(self, reader: TraceReader) -> None:
        self._reader = reader

    @kept
    def program(self) -> Program:
        return read_program(self._reader)

    @kept
    def sites(self) -> dict[int, SiteNames]:
        return name_sites(self.program)


class _RunTrace(OpenedTrace):
    """Some events, of a program that is known."""

    def __init__(self, reader: TraceReader, known: _KnownProgram) -> None:
        super().__init__(reader)
        self._known = known

    @kept
    def program(self) -> Program:
        return self._known.program

    @kept
    def sites(self) -> dict[int, SiteNames]:
        return self._known.sites
