"""What a NaN decided: a loop's end, a branch, which elements or which index was chosen.

From where something is decided the walk goes back over truth values and whole numbers to what compared, or made a
position of, numbers. These may hold a NaN, and then it is an accident what came of them. What asks whether something
is NaN is no such accident: the program has seen to it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np

from tensordbg.analysis.dataflow import Flow
from tensordbg.analysis.details import Details
from tensordbg.analysis.graph import BadGraph, GraphBuilder
from tensordbg.analysis.operations import CHECKS, CHOICES, VALUE_FREE
from tensordbg.analysis.reach import Reach
from tensordbg.analysis.reading import Bools, Ints
from tensordbg.analysis.values import Values
from tensordbg.model import NONE

_DEEPEST = 50
"""So many steps are walked back."""

_MOST_TOLD = 60
"""So many decisions are told apart: as many as a mark has bits."""

_TRUTHS = frozenset({"All", "Any", "BroadcastTo", "ExpandDims", "Identity", "LogicalAnd", "LogicalNot", "LogicalOr",
                     "Reshape", "Squeeze"})  # fmt: skip
"""They make truth values of nothing but truth values."""

Key = tuple[int, int]
"""An activation and a port."""


class Decides(enum.Enum):
    """What a truth value or a whole number decides."""

    LOOP = Reach.LOOP
    BRANCH = Reach.BRANCH
    CHOICE = Reach.CHOICE
    INDEX = Reach.INDEX
    COMPARISON = Reach.COMPARISON


@dataclass(frozen=True)
class Root:
    """A value that decides something."""

    what: Decides
    activation: int
    port: int
    site: int
    """The operation for which it decides; `NONE` for a loop, and for a result of a function."""


@dataclass(frozen=True)
class Decision:
    """Something that a NaN decided."""

    root: Root
    node: int
    """Of the NaN, in the graph."""
    site: int
    """Of what compared it, or made a whole number of it."""
    activation: int
    """In which that was done."""


@dataclass
class Deciding:
    """The values behind those that decide something."""

    values: Values
    dtypes: tuple[str, ...]
    """The beginnings of the dtypes over which the walk goes back."""
    roots: list[Root] = field(default_factory=list)
    _sources: dict[Key, list[Key]] = field(default_factory=dict)
    _nodes: dict[Key, int] = field(default_factory=dict)
    _truth: dict[Key, bool | None] = field(default_factory=dict)

    def add(self, root: Root) -> None:
        """Have a value looked at, if it is one to be walked back from."""
        if self.is_walked(root.port):
            self.roots.append(root)

    def decisions(self, graph: BadGraph, details: Details) -> list[Decision]:
        """What a NaN decided, once it is known what is bad."""
        self._learn_truth(details)
        nan = _holds_nan(self.values, graph)
        found: dict[Decision, None] = {}
        for root in self.roots:
            for node, site, activation in self._decided((root.activation, root.port), nan, 0):
                found[Decision(root, node, site, activation)] = None
        return list(found)

    def _decided(self, key: Key, nan: Bools, depth: int) -> list[tuple[int, int, int]]:
        """The comparisons with a NaN but for which a value would have been another: node, site and activation."""
        given = self._sources.get(key, [])
        if depth > _DEEPEST or self._is_guarded(key):
            return []
        compared = [self._nodes[each] for each in given if each in self._nodes]
        if compared:
            site = int(self.values.ports.site[key[1]])
            return [(node, site, key[0]) for node in compared if node != NONE and nan[node]][:1]
        alone = {"LogicalAnd": False, "LogicalOr": True}.get(self._type(key))
        if alone is not None and self._truth.get(key) is alone:
            given = [each for each in given if self._truth.get(each) in (alone, None)]
            parts = [self._decided(each, nan, depth + 1) for each in given]
            return [end for part in parts for end in part] if all(parts) else []
        return [end for each in given for end in self._decided(each, nan, depth + 1)]

    def _is_guarded(self, key: Key) -> bool:
        """Whether a value is chosen, or joined, by what asks for NaN."""
        if self._type(key) not in CHOICES | {"LogicalAnd", "LogicalOr"}:
            return False
        return any(self._asks(each, 0) for each in self._sources.get(key, []))

    def _asks(self, key: Key, depth: int) -> bool:
        """Whether a truth value says what is NaN."""
        op_type = self._type(key)
        if op_type in CHECKS or self._is_with_itself(key[1]):
            return True
        return depth < _DEEPEST and op_type in _TRUTHS and any(
            self._asks(each, depth + 1) for each in self._sources.get(key, [])
        )  # fmt: skip

    def _type(self, key: Key) -> str:
        site = self.values.program.sites.get(int(self.values.ports.site[key[1]]))
        return site.op_type if site is not None else ""

    def _is_with_itself(self, port: int) -> bool:
        """Whether it says if something equals itself, which NaN alone does not."""
        site = self.values.program.sites.get(int(self.values.ports.site[port]))
        if site is None or site.op_type not in ("Equal", "NotEqual"):
            return False
        given = self.values.program.inputs_of(site.site)
        return len(given) == 2 and given[0] == given[1]

    def _learn_truth(self, details: Details) -> None:
        keys = [key for key in self._sources if key not in self._nodes]
        event = np.array([int(self.values.event(np.array([a]), np.array([p]))[0]) for a, p in keys], dtype=np.int64)
        known = np.flatnonzero(event != NONE)
        lowest, highest = details.range_of(event[known])
        for place, low, high in zip(known.tolist(), lowest.tolist(), highest.tolist(), strict=True):
            if low == high:
                self._truth[keys[place]] = bool(high)

    def walk(self, builder: GraphBuilder) -> None:
        """Walks back from the roots, and adds what is compared to the graph."""
        flow = Flow(self.values, self.values.ports.inputs)
        ports, block = self.values.ports, self.values.activations.block
        waiting = list(dict.fromkeys((root.activation, root.port) for root in self.roots))
        for _ in range(_DEEPEST):
            waiting = [key for key in waiting if key not in self._sources]
            if not waiting:
                return
            self._sources.update((key, []) for key in waiting)
            waiting = [key for key in waiting if self._tells(key)]
            if not waiting:
                return
            activation, port = (np.array(column, dtype=np.int64) for column in zip(*waiting, strict=True))
            step = flow.sources(activation, port)
            step = step.where(ports.block[ports.site[step.port]] == block[step.activation])
            # What a call was given tells nothing where the call left no events: its other branch may have taken it.
            step = step.where(~(ports.may_be_bad[step.port] & ports.followed[ports.site[port[step.of]]]))
            nodes = np.full(len(step.of), NONE, dtype=np.int64)
            compared = ports.may_be_bad[step.port]
            nodes[compared] = builder.nodes(step.activation[compared], step.port[compared])
            further: list[Key] = []
            rows = zip(step.of, step.activation.tolist(), step.port.tolist(), nodes.tolist(), compared, strict=True)
            for of, act, taken, node, is_number in rows:
                key = (act, taken)
                if is_number:
                    self._nodes[key] = node
                elif self.is_walked(taken):
                    further.append(key)
                else:
                    continue
                self._sources[waiting[of]].append(key)
            waiting = list(dict.fromkeys(further))

    def _tells(self, key: Key) -> bool:
        """Whether a value depends on the numbers it was made from by accident: not on shapes, nor asking for NaN."""
        return self._type(key) not in CHECKS | VALUE_FREE and not self._is_with_itself(key[1])

    def is_walked(self, port: int) -> bool:
        """Whether a port puts out what is walked back over."""
        site = self.values.program.sites.get(int(self.values.ports.site[port])) if port != NONE else None
        if site is None:
            return False
        slot = port - int(self.values.ports.first[site.site])
        return slot < len(site.dtypes) and site.dtypes[slot].startswith(self.dtypes)


def _holds_nan(values: Values, graph: BadGraph) -> Bools:
    """Which nodes hold a NaN: events, and what only hands such a one on."""
    marks = np.zeros(len(graph), dtype=np.int64)
    is_event = graph.event != NONE
    marks[is_event] = values.events.nan[graph.event[is_event]]
    handed = ~is_event[graph.child]
    only = BadGraph(graph.event, graph.activation, graph.port, graph.rank, graph.child[handed], graph.parent[handed])
    result: Bools = only.descend(marks) > 0
    return result


def bits_of(decisions: list[Decision], nodes: int) -> tuple[list[Decision], Ints]:
    """The first decision of each kind at each place, and for each node of the graph the bits of those it made."""
    first: dict[tuple[Decides, int, int], int] = {}
    told: list[Decision] = []
    marks = np.zeros(nodes, dtype=np.int64)
    for each in decisions:
        place = (each.root.what, each.site, each.root.site)
        if place not in first and len(told) < _MOST_TOLD:
            first[place] = len(told)
            told.append(each)
        if place in first:
            marks[each.node] |= 1 << first[place]
    return told, marks


def reach_of(told: list[Decision], decided: Ints) -> Ints:
    """For each node the bits of `Reach` of what it decided."""
    result = np.zeros(len(decided), dtype=np.int64)
    for bit, each in enumerate(told):
        result[(decided >> bit) & 1 == 1] |= int(each.root.what.value)
    return result
