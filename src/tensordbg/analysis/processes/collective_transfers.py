"""Where something bad went through an operation that several processes run together, as one process saw it.

A process that puts nothing bad in and gets something bad out has it from another; one that puts something bad in hands
it to all others. Both have the same key, by which they are found to be one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.origins.find import Origins
from tensordbg.analysis.processes.collectives import attribute_number
from tensordbg.analysis.processes.counted_runs import bad_inputs_of_counted, is_counted, runs_of_group
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import collective_kinds, operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.collective import Collective
from tensordbg.operations.kinds import Kind

_FOLLOWED = 60
"""So many origins are told apart: as many as a mark has bits."""

_SEARCHED = 10_000
"""So many numbers of runs are looked for through calls and identities, one by one."""


@dataclass(frozen=True)
class CollectiveTransfers:
    """Columns; in the order of the events."""

    key: Ints
    """The same in all processes that took part."""
    kind: Ints
    """Position in `KINDS`."""
    origin: Ints
    """Which of the reported origins the bad value came from; `NONE` where it came from none of them."""
    received: Bools
    """Whether nothing bad was put in here."""
    parties: Ints
    """How many take part, `NONE` where that is not known."""

    def __len__(self) -> int:
        return len(self.key)


KINDS = collective_kinds()
"""All kinds of operations; their positions are numbers that mean the same in every process."""


def no_transfers() -> CollectiveTransfers:
    """Those of a process that takes part in nothing."""
    empty = np.empty(0, dtype=np.int64)
    return CollectiveTransfers(empty, empty, empty, np.empty(0, dtype=np.bool_), empty)


def find_transfers(origins: Origins, reported: Sequence[Sequence[int]], details: Details) -> CollectiveTransfers:
    """Find what went through.

    Args:
        origins: All origins of the process.
        reported: For each of its findings, in their order, the nodes of the origins that it stands for.
        details: Gives the values of single events.
    """
    values = origins.values
    sites = [site for site in values.program.sites.values() if operation_of(site).collective is not None]
    bad = np.flatnonzero(values.events.bad)
    events = bad[np.isin(values.events.site[bad], [site.site for site in sites])]
    marks = origins.graph.descend(_marks(origins, reported)) if sites else np.empty(0, np.int64)
    given = bad_inputs_of_counted(values, sites)
    if not len(events) and not len(given.run):
        return no_transfers()
    keys = _Keys(values, details)
    columns = np.empty((3, len(events)), dtype=np.int64)
    for rows, found in keys.of(sites, events):
        columns[:, rows] = found
    nodes = np.searchsorted(bad, events)  # the first nodes are the bad events
    sent = np.searchsorted(bad, given.event)
    columns = np.concatenate([columns, keys.of_runs(given.run)], axis=1)
    key, kind, parties = columns
    received = np.append(np.isin(nodes, origins.node), np.zeros(len(sent), dtype=np.bool_))
    return CollectiveTransfers(key, kind, _lowest_bit(marks[np.append(nodes, sent)]), received, parties)


def _marks(origins: Origins, reported: Sequence[Sequence[int]]) -> Ints:
    """For each node that is an origin a bit for the finding that speaks of it."""
    graph = origins.graph
    marks = np.zeros(len(graph), dtype=np.int64)
    for bit, nodes in reversed(list(enumerate(reported[:_FOLLOWED]))):
        # An operation that is an origin in several steps is reported once.
        marks[origins.node[np.isin(graph.port[origins.node], graph.port[list(nodes)])]] = np.int64(1 << bit)
    return marks


def _lowest_bit(marks: Ints) -> Ints:
    """The number of the lowest bit that is set, `NONE` where none is."""
    lowest = marks & -marks
    result: Ints = np.where(marks == 0, NONE, np.log2(np.where(marks == 0, 1, lowest)).astype(np.int64))
    return result


class _Keys:
    """Finds by what a run of a collective operation is known in all processes."""

    def __init__(self, values: Values, details: Details) -> None:
        self._values = values
        self._details = details
        self._flow = Flow(values, values.ports.inputs)
        self._searches = _SEARCHED
        self._group_runs: dict[int, Ints] = {}

    def of_runs(self, runs: Ints) -> Ints:
        """Key, kind and number of parties of runs that are counted, given by the rows of their executions."""
        columns = np.empty((3, len(runs)), dtype=np.int64)
        for row, run in enumerate(runs.tolist()):
            site = self._values.program.sites[int(self._values.executions.site[run])]
            columns[:, row] = self._counted(site, self._values.executions.number[[run]])[:, 0]
        return columns

    def of(self, sites: Sequence[Site], events: Ints) -> Iterator[tuple[Bools, Ints]]:
        """For each site which of the events are its own; and of these the key, the kind and the number of parties."""
        nameless = np.isin(self._values.events.site, [site.site for site in sites if self._is_nameless(site)])
        for site in sites:
            rows = self._values.events.site[events] == site.site
            if not rows.any():
                continue
            mine = events[rows]
            if is_counted(site):
                row = self._values.invocation[mine]
                yield rows, self._counted(site, self._values.executions.number[row])
                continue
            collective = _collective(site)
            size = self._numbers(site, mine, collective.size_input, "group_size")
            group = self._numbers(site, mine, collective.group_input, collective.group_attribute)
            instance = self._numbers(site, mine, collective.instance_input, collective.instance_attribute)
            ordinal = self._ordinal(site, mine, nameless)
            if collective.instance_input != NONE:
                ordinal = np.where(instance == NONE, ordinal, self._ordinal_in_call(mine))
            kind = np.full(len(mine), KINDS.index(collective.kind))
            yield rows, np.stack([mixed(kind, group, instance, ordinal), kind, size])

    def _counted(self, site: Site, numbers: Ints) -> Ints:
        """The same of runs that all processes of a group begin in the same order: which of the group's each is."""
        collective = _collective(site)
        group = attribute_number(site, collective.group_attribute)
        if group not in self._group_runs:
            self._group_runs[group] = runs_of_group(self._values, group)
        ordinal = np.searchsorted(self._group_runs[group], numbers)
        kind = np.full(len(numbers), KINDS.index(collective.kind))
        size = np.full(len(numbers), attribute_number(site, "group_size"))
        return np.stack([mixed(kind, np.full(len(numbers), group), np.full(len(numbers), NONE), ordinal), kind, size])

    def _is_nameless(self, site: Site) -> bool:
        collective = _collective(site)
        if is_counted(site):
            return False
        return collective.instance_input == NONE and attribute_number(site, collective.instance_attribute) == NONE

    def _ordinal(self, site: Site, events: Ints, nameless: Bools) -> Ints:
        """How often there was a run before each of some of a site's: the first in a process is the first in all."""
        if self._is_nameless(site):
            return np.searchsorted(np.flatnonzero(nameless), events)
        return np.searchsorted(self._same_output(events), events)

    def _ordinal_in_call(self, events: Ints) -> Ints:
        """The same within one call of a function, which has a number of its own for all iterations of a loop in it."""
        same = self._same_output(events)
        execution = self._values.events.execution[same]
        order = np.argsort(execution, kind="stable")
        ordinal = np.empty(len(same), dtype=np.int64)
        ordinal[order] = np.arange(len(same)) - np.searchsorted(execution[order], execution[order])
        return ordinal[np.searchsorted(same, events)]

    def _same_output(self, events: Ints) -> Ints:
        """All events of the output that some events are of."""
        return np.flatnonzero(self._values.port == self._values.port[events[0]])

    def _numbers(self, site: Site, events: Ints, position: int, attribute: str) -> Ints:
        """A number that each run of a site was given, as an input or once for all."""
        if position == NONE:
            return np.full(len(events), attribute_number(site, attribute))
        invocation = self._values.invocation[events]
        if site.function == NONE:
            found = self._eager_inputs(invocation, position)
        else:
            constant, port = self._source(site, position)
            if port == NONE:
                return np.full(len(events), constant)
            found = self._values.event(invocation, np.full(len(events), port))
            found = self._searched(found, invocation, port)
        known = found != NONE
        result = np.full(len(events), NONE)
        lowest, _ = self._details.range_of(found[known])
        result[known] = np.nan_to_num(lowest, nan=NONE).astype(np.int64)
        return result

    def _eager_inputs(self, invocation: Ints, position: int) -> Ints:
        """The events of one input of eager operations."""
        executions = self._values.executions
        place = executions.input_starts[invocation] + position
        there = place < executions.input_starts[invocation + 1]
        found = np.full(len(invocation), NONE)
        row, slot = executions.input_row[place[there]], executions.input_slot[place[there]]
        port = self._flow.made_port(row, slot)
        made = (row != NONE) & (port != NONE)
        events = np.full(len(row), NONE)
        events[made] = self._values.event(row[made], port[made])
        found[there] = events
        return found

    def _source(self, site: Site, position: int) -> tuple[int, int]:
        """What an operation of a graph takes there: a constant, or a port."""
        edges = self._values.program.edges
        found = edges[(edges[:, 0] == site.site) & (edges[:, 1] == position)]
        if not len(found):
            return NONE, NONE
        source = self._values.program.sites.get(int(found[0, 2]))
        if source is None or operation_of(source).kind is Kind.CONSTANT:
            return NONE if source is None else attribute_number(source, "value"), NONE
        return NONE, int(self._values.ports.first[source.site]) + int(found[0, 3])

    def _searched(self, found: Ints, invocation: Ints, port: int) -> Ints:
        """Completes what has no event at the place itself, such as the argument of a function that another calls."""
        for row in np.flatnonzero(found == NONE)[: self._searches].tolist():
            self._searches -= 1
            events = resolve(self._flow, int(invocation[row]), port)
            found[row] = events[-1] if events else NONE
        return found


def _collective(site: Site) -> Collective:
    collective = operation_of(site).collective
    assert collective is not None
    return collective
