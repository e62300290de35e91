"""One opened trace with what the page asks of it again and again; each is read when it is first needed.

A reader sees a trace as it was when it was opened, so nothing here is ever out of date. All may be asked from several
threads; what is read from files is read by one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from threading import RLock
from typing import Any

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.names.naming import Named, find_named
from tensordbg.analysis.names.texts import text_of
from tensordbg.analysis.program.composite_notes import eager_composite
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.program.events import Executions, read_executions
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.tensors.batch_origins import BatchOrigins
from tensordbg.analysis.tensors.composites import whole_values, with_values
from tensordbg.analysis.view.caching import Recent, kept
from tensordbg.analysis.view.event.local_flow import LocalFlow, local_flow_key, take_local_flow
from tensordbg.analysis.view.graphs.eager_spans import Span
from tensordbg.analysis.view.graphs.eager_whole import EagerStep
from tensordbg.analysis.view.graphs.whole import WholeFunction
from tensordbg.analysis.view.growth import Growth, measure_growth
from tensordbg.analysis.view.progress.reading import ProgressData, read_progress
from tensordbg.analysis.view.records.columns import Columns
from tensordbg.analysis.view.records.event_ranges import EventRanges, find_event_ranges
from tensordbg.analysis.view.records.iterations import iterations_of_events, sites_in_several_loops
from tensordbg.analysis.view.records.rows import SeenTensor, seen_tensors
from tensordbg.analysis.view.records.sites import SiteNames, lost_site, name_sites
from tensordbg.analysis.view.records.source_margins import SiteCounts, count_sites
from tensordbg.analysis.view.requests import EventList
from tensordbg.analysis.view.search.suggestions import count_values
from tensordbg.analysis.view.table.page import EventNumbers, list_numbers
from tensordbg.analysis.view.timeline.bins import Spans
from tensordbg.analysis.view.timeline.lanes import LaneContent, find_lanes
from tensordbg.analysis.view.timeline.timings import Bad, DeviceWork, Timings, count_bad, read_timings, work_of_devices
from tensordbg.errors import AbsentError
from tensordbg.model import COMPOSITES, TensorRef
from tensordbg.trace.program.facts import TraceFacts
from tensordbg.trace.raw.strings import DTYPE
from tensordbg.trace.reader import TraceReader
from tensordbg.trace.sealed.parts import ROW_GROUP
from tensordbg.trace.sums.by_step import StepSums
from tensordbg.trace.sums.totals import Sums

BLOCK = ROW_GROUP
"""So many events are read and kept together: as many as lie together in the files."""

_MOST_BLOCKS = 32
_MOST_LOCAL_FLOWS = 8
_MOST_NAMES = 1000
_MOST_OPERATIONS = 100_000
"""Of the functions whose graphs are kept as a whole."""
_MOST_WORDS = 1_000_000
_MOST_LISTED = 400_000_000
"""Bytes of the lists that are kept."""


class OpenedTrace:
    """One trace; it is a `TraceSource` too, and one that several threads may read."""

    def __init__(self, reader: TraceReader) -> None:
        """Nothing is read yet."""
        self.reader = reader
        self._reading = RLock()
        self._local_flows: Recent[tuple[int, int], LocalFlow] = Recent(_MOST_LOCAL_FLOWS)
        self._words: Recent[str, list[str]] = Recent(_MOST_WORDS, len)
        self._lists: Recent[EventList, EventNumbers] = Recent(_MOST_LISTED, _bytes_of_list)
        self._blocks: Recent[int, Any] = Recent(_MOST_BLOCKS)
        self._named: Recent[str, Named] = Recent(_MOST_NAMES)
        self.whole_functions: Recent[int, WholeFunction] = Recent(_MOST_OPERATIONS, lambda each: len(each.boxes.parent))
        """The graphs that were looked at as a whole, by the number of the function."""
        self.eager_steps: Recent[Span, EagerStep] = Recent(_MOST_OPERATIONS, lambda each: len(each.boxes.parent))
        """The same of steps of eager code."""

    @kept
    def event_count(self) -> int:
        """How many tensor events there are."""
        with self._reading:
            return self.reader.tensor_count

    @kept
    def damage(self) -> int:
        """How many events and lines can't be read."""
        with self._reading:
            return self.reader.damage

    @kept
    def facts(self) -> TraceFacts:
        """Facts that became known while the program ran."""
        with self._reading:
            return self.reader.facts

    @kept
    def growth(self) -> Growth:
        """How far the trace had grown."""
        return measure_growth(self)

    @kept
    def program(self) -> Program:
        """The program as the trace describes it."""
        return read_program(self)

    @kept
    def locations(self) -> Locations:
        """Stacks with the text of their lines."""
        return Locations(self.program)

    @kept
    def sites(self) -> dict[int, SiteNames]:
        """The names of all sites by number; ask `site` for one."""
        return name_sites(self.program)

    @kept
    def columns(self) -> Columns:
        """Columns of all events."""
        return Columns(self)

    @kept
    def event_ranges(self) -> EventRanges:
        """Where the events of each execution lie."""
        return find_event_ranges(self.executions.number, self.columns.whole("execution"))

    @kept
    def timings(self) -> Timings:
        """When the executions ran."""
        return read_timings(self)

    @kept
    def bad(self) -> Bad:
        """Counts, for each execution, the events that are not finite."""
        return count_bad(self)

    @kept
    def device_work(self) -> DeviceWork:
        """The work of each device for each execution."""
        return work_of_devices(self)

    @kept
    def lanes(self) -> list[tuple[LaneContent, Spans]]:
        """The lanes of the timeline with all that lies in them."""
        return find_lanes(self)

    @kept
    def site_counts(self) -> SiteCounts:
        """Counts the events recorded of each site."""
        return count_sites(self)

    @kept
    def executions(self) -> Executions:
        """All executions."""
        return read_executions(self, self.program)

    @kept
    def batch_origins(self) -> BatchOrigins:
        """Where batches and elements of pipelines came from."""
        return BatchOrigins(self, self.program)

    @kept
    def progress(self) -> ProgressData:
        """How the run went over all its steps."""
        return read_progress(self)

    def site(self, number: int) -> SiteNames:
        """The names of a site, also of one that only events tell of."""
        return self.sites.get(number) or lost_site(self.program, number)

    @kept
    def site_limit(self) -> int:
        """One more than the largest number of a site, be it described or not."""
        return max(self.program.site_count, int(self.columns.whole("site").max(initial=-1)) + 1)

    def numbers(self, wanted: EventList) -> EventNumbers:
        """The numbers of a list of events; those of the last lists asked for are kept.

        Raises:
            UsageError: If the search or the order is not understood.
        """
        return self._lists.get(wanted, lambda: list_numbers(self, wanted))

    def values_of_key(self, key: str) -> list[str]:
        """The values that the trace has for a key of the search; see `suggestions.py`."""
        return self._words.get(key, lambda: count_values(self, key))

    @kept
    def recorded(self) -> frozenset[TensorRef]:
        """The tensors of which events tell."""
        pairs = np.unique(np.stack([self.columns.whole("site"), self.columns.whole("slot")]), axis=1)
        return frozenset(TensorRef(site, slot) for site, slot in pairs.T.tolist())

    def named(self, typed: str) -> Named:
        """The things that a name may mean, see `naming`."""
        return self._named.get(typed, lambda: find_named(self.program, typed, self.recorded))

    def rows(self, events: Sequence[int] | Ints) -> list[SeenTensor]:
        """The rows of some events, in this order."""
        rows = seen_tensors(self, np.asarray(events, dtype=np.int64))
        iterations = iterations_of_events(self, events)
        return [replace(each, iterations=iterations.get(each.event, ())) for each in rows] if iterations else rows

    @kept
    def in_several_loops(self) -> frozenset[int]:
        """The sites of functions that loops run which lie in loops."""
        return sites_in_several_loops(self.program)

    def row(self, event: int) -> SeenTensor:
        """The row of one event.

        Raises:
            AbsentError: If there is none.
        """
        self.check_event(event)
        row = self.rows([event])[0]
        if not self._may_be_whole(row):
            return row
        with self._reading:
            return with_values(self.reader, (row,))[0]

    def whole(self, row: SeenTensor) -> str:
        """The ragged or sparse tensor whose elements an event holds, as TensorFlow prints it or as far as known."""
        if not self._may_be_whole(row):
            return ""
        with self._reading:
            return whole_values(self.reader, (row,)).get(row.event, row.text)

    def _may_be_whole(self, row: SeenTensor) -> bool:
        """Whether a ragged or sparse tensor may have the elements that an event holds."""
        site = self.site(row.site).site
        return COMPOSITES in site.attributes or TensorRef(row.site, row.slot) in self._eager_elements

    @kept
    def _eager_elements(self) -> frozenset[TensorRef]:
        """The tensors of which eager code puts ragged and sparse tensors together."""
        told = (eager_composite(site.attributes) for site in self.program.sites.values())
        return frozenset(each.elements for each in told if each is not None)

    def check_event(self, event: int) -> None:
        """Whether there is such an event.

        Raises:
            AbsentError: If there is none.
        """
        if not 0 <= event < self.event_count:
            raise AbsentError(f"no event {event}; the trace has {self.event_count:,}, numbered from 0")

    def local_flow(self, event: int) -> LocalFlow:
        """The surroundings of an event along the data; the last ones asked for are kept."""
        return self._local_flows.get(local_flow_key(self, event), lambda: take_local_flow(self, event))

    def table(self, name: str, columns: Sequence[str] | None = None) -> Any:
        """See `TraceSource`."""
        with self._reading:
            return self.reader.table(name, columns)

    def count(self, name: str) -> int:
        """See `TraceSource`."""
        if name == "tensors":
            return self.event_count
        with self._reading:
            return self.reader.count(name)

    def tensors(self, begin: int, end: int, columns: Sequence[str] | None = None) -> Any:
        """See `TraceSource`."""
        with self._reading:
            return self.reader.tensors(begin, end, columns)

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        """See `TraceSource`."""
        with self._reading:
            return self.reader.take(events, columns)

    def sums(self) -> Sums:
        """See `SummedTrace`."""
        with self._reading:
            return self.reader.sums()

    def step_sums(self) -> StepSums:
        """See `SummedTrace`."""
        return self._step_sums

    @kept
    def _step_sums(self) -> StepSums:
        """The same; of a trace that an older version sealed they take a while."""
        with self._reading:
            return self.reader.step_sums()

    def events_of(self, sites: Sequence[int], steps: range, columns: Sequence[str]) -> Any:
        """See `SummedTrace`."""
        with self._reading:
            return self.reader.events_of(sites, steps, columns)

    def value(self, event: int) -> Any:
        """The elements of an event as an array; see `TraceReader.value`."""
        with self._reading:
            return self.reader.value(event)

    def text(self, row: dict[str, Any]) -> str:
        """The first elements of a row of `tensors` with strings, see `text_of`."""
        if row["dtype"] != DTYPE:
            return ""
        with self._reading:
            return text_of(self.reader, row)

    def block(self, number: int) -> Any:
        """The events from `number * BLOCK` on, with all their columns; the last ones asked for are kept."""
        return self._blocks.get(number, lambda: self.tensors(number * BLOCK, (number + 1) * BLOCK))

    def dictionaries(self, events: Ints) -> Iterable[tuple[int, dict[str, Any]]]:
        """The columns of some events as dictionaries, block after block; each with its position in `events`."""
        block = events // BLOCK
        for number in np.unique(block).tolist():
            places = np.flatnonzero(block == number)
            rows = self.block(number).take(events[places] - number * BLOCK).to_pylist()
            yield from zip(places.tolist(), rows, strict=True)


def _bytes_of_list(numbers: EventNumbers) -> int:
    return 1000 if numbers.numbers is None else numbers.numbers.nbytes
