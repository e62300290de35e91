"""Finds what a NaN decided: a loop's end, a branch, which elements or which index was chosen.

From where something is decided the walk goes back over truth values and whole numbers to what compared, or made a
position of, numbers. These may hold a NaN, and then it is an accident what came of them. What asks whether something
is NaN is no such accident: the program has seen to it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.decisions.nan_behind import NanBehind, distinct
from tensordbg.analysis.flow.dataflow import Flow, Sources
from tensordbg.analysis.flow.graph import BadGraph, GraphBuilder
from tensordbg.analysis.flow.reach import Reach
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

_AT_ONCE = 8192
"""So many values are walked back from at a time, which bounds the memory that it takes."""

_DEEPEST = 50
"""So many steps are walked back."""

_MOST_TOLD = 60
"""So many decisions are told apart: as many as a mark has bits."""

_ALONE = {Kind.AND: False, Kind.OR: True}
"""What joins two truth values, and which of them tells the result alone."""

_TRUTHS = frozenset(
    {
        *(Kind.ALL, Kind.AND, Kind.ANY, Kind.NOT, Kind.OR),
        *(Kind.BROADCAST, Kind.EXPAND_DIMS, Kind.IDENTITY, Kind.RESHAPE, Kind.SQUEEZE),
    }
)
"""They make truth values of nothing but truth values."""

Key = tuple[int, int]
"""An invocation and a port."""


class Decides(enum.Enum):
    """The kinds of things that a truth value or a whole number decides."""

    LOOP = Reach.LOOP
    BRANCH = Reach.BRANCH
    CHOICE = Reach.CHOICE
    INDEX = Reach.INDEX
    COMPARISON = Reach.COMPARISON


@dataclass(frozen=True)
class Root:
    """A value that decides something."""

    what: Decides
    invocation: int
    port: int
    site: int
    """The operation for which it decides; `NONE` for a loop, and for a result of a function."""


@dataclass(frozen=True)
class Roots:
    """One value as it was computed in each of many invocations."""

    what: Decides
    invocation: Ints
    port: int
    site: int

    def pieces(self) -> Iterator[Roots]:
        """Some at a time."""
        for first in range(0, len(self.invocation), _AT_ONCE):
            yield replace(self, invocation=self.invocation[first : first + _AT_ONCE])

    def each(self) -> list[Root]:
        """One by one."""
        return [Root(self.what, invocation, self.port, self.site) for invocation in self.invocation.tolist()]


@dataclass(frozen=True)
class Decision:
    """Something that a NaN decided."""

    root: Root
    node: int
    """Of the NaN, in the graph."""
    site: int
    """Of what compared it, or made a whole number of it."""
    invocation: int
    """In which that was done."""
    times: int = 1
    """How often it was done at this place."""


@dataclass(frozen=True)
class Order:
    """The order of invocations in the program, of the iterations of a loop by their numbers: they may run at once."""

    values: Values

    def of(self, invocation: int) -> tuple[int, int, int]:
        """Sorts an invocation."""
        invocations = self.values.invocations
        began = int(self._began[invocation])
        return int(invocations.execution[invocation]), began, int(invocations.iteration[invocation])

    @cached_property
    def _began(self) -> Ints:
        """For each invocation the first event of the run of the loop that it is in."""
        invocations = self.values.invocations
        _, loop = np.unique(invocations.frame, return_inverse=True)
        began = np.full(len(invocations), np.iinfo(np.int64).max)
        np.minimum.at(began, loop, invocations.first)
        result: Ints = began[loop]
        return result


@dataclass
class Deciding:
    """The values behind those that decide something."""

    builder: GraphBuilder
    dtypes: tuple[str, ...]
    """The beginnings of the dtypes over which the walk goes back."""
    roots: list[Roots] = field(default_factory=list)

    def add(self, roots: Roots) -> None:
        """Have values looked at, if they are to be walked back from, and where a NaN may have been compared.

        What was compared and has no event becomes a node of the graph.
        """
        if not self.is_walked(roots.port):
            return
        pieces = [piece.invocation[self._may_be_decided(piece)] for piece in roots.pieces()]
        invocation = np.concatenate([np.empty(0, dtype=np.int64), *pieces])
        if len(invocation):
            self.roots.append(replace(roots, invocation=invocation))

    def decisions(self, graph: BadGraph, details: Details) -> Iterator[list[Decision]]:
        """Finds what a NaN decided, once it is known what is bad: some at a time."""
        nan = _holds_nan(self.values, graph)
        for roots in self.roots:
            for piece in roots.pieces():
                yield _Walk(self, piece.each()).decisions(nan, details)

    @property
    def values(self) -> Values:
        """All values."""
        return self.builder.values

    @cached_property
    def flow(self) -> Flow:
        """Along all edges."""
        return Flow(self.values, self.values.ports.inputs)

    @cached_property
    def _walked(self) -> Bools:
        """For each port whether it puts out what is walked back over."""
        result = np.zeros(len(self.values.ports.site), dtype=np.bool_)
        for number, site in self.values.program.sites.items():
            first, count = int(self.values.ports.first[number]), int(self.values.ports.count[number])
            for slot, dtype in enumerate(site.dtypes[:count]):
                result[first + slot] = dtype.startswith(self.dtypes)
        return result

    @cached_property
    def _telling(self) -> Bools:
        """For each site whether its result depends on the numbers it was made from by accident.

        That is not so of what asks for shapes, or for NaN.
        """
        result = np.ones(len(self.values.ports.argument), dtype=np.bool_)
        for number, site in self.values.program.sites.items():
            asks = operation_of(site).has(Trait.TESTS_FINITE, Trait.SHAPE_ONLY)
            result[number] = not asks and not self.is_with_itself(number)
        return result

    @cached_property
    def _nan_behind(self) -> NanBehind:
        anything = np.ones(len(self.values.ports.argument), dtype=np.bool_)
        return NanBehind(self.builder.flow, anything, self.builder.variables.reading)

    def is_walked(self, port: int) -> bool:
        """Whether a port puts out what is walked back over."""
        return port != NONE and bool(self._walked[port])

    def is_with_itself(self, number: int) -> bool:
        """Whether a site says if something equals itself, which NaN alone does not."""
        site = self.values.program.sites.get(number)
        if site is None or operation_of(site).kind not in (Kind.EQUAL, Kind.NOT_EQUAL):
            return False
        given = self.values.program.inputs_of(number)
        return len(given) == 2 and given[0] == given[1]

    def step_back(self, invocation: Ints, port: Ints) -> tuple[Sources, Bools]:
        """One step from values that are walked back over, and which of what is met is compared."""
        ports, block = self.values.ports, self.values.invocations.block
        telling = np.flatnonzero(self._telling[ports.site[port]])
        step = self.flow.sources(invocation[telling], port[telling])
        step = Sources(telling[step.of], step.invocation, step.port)
        step = step.where(ports.block[ports.site[step.port]] == block[step.invocation])
        # What a call was given tells nothing where the call left no events: its other branch may have taken it.
        step = step.where(~(ports.may_be_bad[step.port] & ports.followed[ports.site[port[step.of]]]))
        compared = ports.may_be_bad[step.port]
        step = step.where(compared | self._walked[step.port])
        return step, ports.may_be_bad[step.port]

    def _may_be_decided(self, roots: Roots) -> Bools:
        """For each invocation whether something was compared that may be NaN."""
        owner, invocation = np.arange(len(roots.invocation)), roots.invocation.astype(np.int64)
        port = np.full(len(owner), roots.port, dtype=np.int64)
        result = np.zeros(len(owner), dtype=np.bool_)
        for _ in range(_DEEPEST):
            step, compared = self.step_back(invocation, port)
            of, met, taken = owner[step.of], step.invocation, step.port
            numbers = np.flatnonzero(compared)
            numbers = numbers[self._nan_behind.of(met[numbers], taken[numbers])]
            result[of[numbers]] = True
            self.builder.nodes(met[numbers], taken[numbers])
            if compared.all():
                break
            owner, invocation, port = distinct(of[~compared], met[~compared], taken[~compared])
        return result


class _Walk:
    """Back from some values, one by one."""

    def __init__(self, deciding: Deciding, roots: Sequence[Root]) -> None:
        self._deciding = deciding
        self.values = deciding.values
        self._roots = roots
        self._sources: dict[Key, list[Key]] = {}
        self._nodes: dict[Key, int] = {}
        self._truth: dict[Key, bool | None] = {}
        self._go()

    def decisions(self, nan: Bools, details: Details) -> list[Decision]:
        """Finds what a NaN decided, given which nodes of the graph hold one."""
        self._learn_truth(details)
        found: dict[Decision, None] = {}
        for root in self._roots:
            for node, site, invocation in self._decided((root.invocation, root.port), nan, 0):
                found[Decision(root, node, site, invocation)] = None
        return list(found)

    def _decided(self, key: Key, nan: Bools, depth: int) -> list[tuple[int, int, int]]:
        """The comparisons with a NaN but for which a value would have been another: node, site and invocation."""
        given = self._sources.get(key, [])
        if depth > _DEEPEST or self._is_guarded(key):
            return []
        compared = [self._nodes[each] for each in given if each in self._nodes]
        if compared:
            site = int(self.values.ports.site[key[1]])
            return [(node, site, key[0]) for node in compared if node != NONE and nan[node]][:1]
        alone = _ALONE.get(self._operation(key).kind)
        if alone is not None and self._truth.get(key) is alone:
            given = [each for each in given if self._truth.get(each) in (alone, None)]
            parts = [self._decided(each, nan, depth + 1) for each in given]
            return [end for part in parts for end in part] if all(parts) else []
        return [end for each in given for end in self._decided(each, nan, depth + 1)]

    def _is_guarded(self, key: Key) -> bool:
        """Whether a value is chosen, or joined, by what asks for NaN."""
        operation = self._operation(key)
        if not (operation.has(Trait.CHOOSES) or operation.kind in _ALONE):
            return False
        return any(self._asks(each, 0) for each in self._sources.get(key, []))

    def _asks(self, key: Key, depth: int) -> bool:
        """Whether a truth value says what is NaN."""
        operation = self._operation(key)
        if operation.has(Trait.TESTS_FINITE) or self._deciding.is_with_itself(int(self.values.ports.site[key[1]])):
            return True
        return depth < _DEEPEST and operation.kind in _TRUTHS and any(
            self._asks(each, depth + 1) for each in self._sources.get(key, [])
        )  # fmt: skip

    def _operation(self, key: Key) -> Operation:
        site = self.values.program.sites.get(int(self.values.ports.site[key[1]]))
        return operation_of(site) if site is not None else Operation()

    def _learn_truth(self, details: Details) -> None:
        keys = [key for key in self._sources if key not in self._nodes]
        event = self.values.event(*_columns(keys))
        known = np.flatnonzero(event != NONE)
        lowest, highest = details.range_of(event[known])
        for place, low, high in zip(known.tolist(), lowest.tolist(), highest.tolist(), strict=True):
            if low == high:
                self._truth[keys[place]] = bool(high)

    def _go(self) -> None:
        waiting = list(dict.fromkeys((root.invocation, root.port) for root in self._roots))
        for _ in range(_DEEPEST):
            waiting = [key for key in waiting if key not in self._sources]
            if not waiting:
                return
            self._sources.update((key, []) for key in waiting)
            step, compared = self._deciding.step_back(*_columns(waiting))
            node = self._deciding.builder.node_at[self.values.address(step.invocation, step.port)]
            further: list[Key] = []
            columns = (step.of, step.invocation, step.port, node, compared)
            for of, invocation, port, number, is_number in zip(*(each.tolist() for each in columns), strict=True):
                key = (invocation, port)
                self._sources[waiting[of]].append(key)
                if is_number:
                    self._nodes[key] = number
                else:
                    further.append(key)
            waiting = list(dict.fromkeys(further))


def _columns(keys: Sequence[Key]) -> tuple[Ints, Ints]:
    invocation, port = np.array(keys, dtype=np.int64).reshape(-1, 2).T
    return invocation, port


def _holds_nan(values: Values, graph: BadGraph) -> Bools:
    """Which nodes hold a NaN: events, and what only hands such a one on."""
    marks = np.zeros(len(graph), dtype=np.int64)
    is_event = graph.event != NONE
    marks[is_event] = values.events.nan[graph.event[is_event]]
    handed = ~is_event[graph.child]
    only = BadGraph(graph.event, graph.invocation, graph.port, graph.rank, graph.child[handed], graph.parent[handed])
    result: Bools = only.descend(marks) > 0
    return result


def bits_of(decisions: Iterable[Iterable[Decision]], nodes: int, order: Order) -> tuple[list[Decision], Ints]:
    """The first decision of each kind at each place, and for each node of the graph the bits of those it made."""
    place_of: dict[tuple[Decides, int, int], int] = {}
    told: list[Decision] = []
    times: list[int] = []
    marks = np.zeros(nodes, dtype=np.int64)
    for each in chain.from_iterable(decisions):
        place = (each.root.what, each.site, each.root.site)
        number = place_of.get(place, len(told))
        if number == len(told):
            if number == _MOST_TOLD:
                continue
            place_of[place] = number
            told.append(each)
            times.append(0)
        elif order.of(each.invocation) < order.of(told[number].invocation):
            told[number] = each
        times[number] += 1
        marks[each.node] |= 1 << number
    return [replace(each, times=count) for each, count in zip(told, times, strict=True)], marks


def reach_of(told: list[Decision], decided: Ints) -> Ints:
    """For each node the bits of `Reach` of what it decided."""
    result = np.zeros(len(decided), dtype=np.int64)
    for bit, each in enumerate(told):
        result[(decided >> bit) & 1 == 1] |= int(each.root.what.value)
    return result
