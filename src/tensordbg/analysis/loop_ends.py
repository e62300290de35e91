"""Loops that ended since something was compared with NaN: that is false, whatever stands on the other side.

From the last turn in which a loop's condition was asked, the walk goes back over truth values to the comparisons that
decided, also where the body made the truth value in the turn before. The numbers that these compared may hold a NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tensordbg.analysis.dataflow import Flow
from tensordbg.analysis.details import Details
from tensordbg.analysis.graph import BadGraph, GraphBuilder
from tensordbg.analysis.places import BODY, COND, Place
from tensordbg.analysis.reading import Bools, Ints
from tensordbg.analysis.values import Values
from tensordbg.model import NONE, CallKind, TensorRef

_MOST = 2000
"""So many ends of one loop are looked at."""

_DEEPEST = 50
"""So many steps are walked back."""

Key = tuple[int, int]
"""An activation and a port."""


@dataclass(frozen=True)
class LoopEnd:
    """One end that a NaN decided."""

    node: int
    """Of what was compared, in the graph."""
    site: int
    """Of the comparison."""
    activation: int
    """In which it was made."""


@dataclass
class LoopConditions:
    """The truth values behind the last answers of conditions."""

    values: Values
    roots: list[Key] = field(default_factory=list)
    _sources: dict[Key, list[Key]] = field(default_factory=dict)
    _nodes: dict[Key, int] = field(default_factory=dict)
    _truth: dict[Key, bool | None] = field(default_factory=dict)
    _asked: dict[Key, tuple[Key, ...]] = field(default_factory=dict)

    def ends(self, graph: BadGraph, details: Details) -> list[LoopEnd]:
        """The ends that a NaN decided, once it is known what is bad."""
        self._learn_truth(details)
        nan = _holds_nan(self.values, graph)
        found = [end for root in self.roots for end in self._decided(root, nan, 0)]
        return list(dict.fromkeys(found))

    def _decided(self, key: Key, nan: Bools, depth: int) -> list[LoopEnd]:
        """The comparisons with a NaN but for which a truth value would have been another."""
        given = self._sources.get(key, [])
        if depth > _DEEPEST:
            return []
        site = int(self.values.ports.site[key[1]])
        compared = [self._nodes[each] for each in given if each in self._nodes]
        if compared:
            return [LoopEnd(node, site, key[0]) for node in compared if node != NONE and nan[node]][:1]
        op_type = self.values.program.sites[site].op_type if site in self.values.program.sites else ""
        alone = {"LogicalAnd": False, "LogicalOr": True}.get(op_type)
        if alone is not None and self._truth.get(key) is alone:
            given = [each for each in given if self._truth.get(each) in (alone, None)]
            parts = [self._decided(each, nan, depth + 1) for each in given]
            return [end for part in parts for end in part] if all(parts) else []
        return [end for each in given for end in self._decided(each, nan, depth + 1)]

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
        waiting = list(dict.fromkeys(self.roots))
        for _ in range(_DEEPEST):
            waiting = [key for key in waiting if key not in self._sources]
            if not waiting:
                return
            self._sources.update((key, []) for key in waiting)
            activation, port = (np.array(column, dtype=np.int64) for column in zip(*waiting, strict=True))
            step = flow.sources(activation, port)
            step = step.where(ports.block[ports.site[step.port]] == block[step.activation])
            nodes = np.full(len(step.of), NONE, dtype=np.int64)
            compared = ports.may_be_bad[step.port]
            nodes[compared] = builder.nodes(step.activation[compared], step.port[compared])
            further: list[Key] = []
            rows = zip(step.of, step.activation.tolist(), step.port.tolist(), nodes.tolist(), compared, strict=True)
            for of, act, taken, node, is_number in rows:
                key = (act, taken)
                if is_number:
                    self._nodes[key] = node
                elif self.is_truth(taken):
                    further.append(key)
                else:
                    continue
                self._sources[waiting[of]].append(key)
            waiting = list(dict.fromkeys(further))

    def is_truth(self, port: int) -> bool:
        """Whether a port puts out a truth value."""
        site = int(self.values.ports.site[port])
        dtypes = self.values.program.sites[site].dtypes if site in self.values.program.sites else ()
        slot = port - int(self.values.ports.first[site])
        return slot < len(dtypes) and dtypes[slot] == "bool"


def find_conditions(builder: GraphBuilder) -> LoopConditions:
    """Find what decided the ends of loops in executions with a NaN; adds what was compared to the graph."""
    values = builder.values
    with_nan = np.zeros(len(values.executions) + 1, dtype=np.bool_)
    with_nan[values.events.execution[values.events.nan]] = True
    conditions = LoopConditions(values)
    for place in values.places.all:
        if place.kind is CallKind.WHILE:
            conditions.roots.extend(_last_answers(values, place, with_nan))
    conditions.roots = [key for key in conditions.roots if conditions.is_truth(key[1])]
    if conditions.roots:
        conditions.walk(builder)
    return conditions


def _last_answers(values: Values, place: Place, with_nan: Bools) -> list[Key]:
    """What a condition said when it was asked last, in each run of its loop.

    One that only gives back a variable of the loop computes nothing: then it is what the body's last turn made of that.
    """
    port = _answer(values, place)
    asked = np.flatnonzero(values.activations.place == place.number)
    asked = asked[with_nan[values.activations.execution[asked]]]
    if port == NONE or not len(asked):
        return []
    execution, frame = values.activations.execution[asked], values.activations.frame[asked]
    order = np.lexsort((values.activations.iteration[asked], frame, execution))
    asked, execution, frame = asked[order], execution[order], frame[order]
    last = np.append((np.diff(execution) != 0) | (np.diff(frame) != 0), True)
    return [(activation, port) for activation in asked[last][:_MOST].tolist()]


def _answer(values: Values, place: Place) -> int:
    """The port, of the condition or of the body, that says whether a loop goes on; `NONE` if it is in the other."""
    called = values.program.called_by(values.program.sites[place.call_site])
    condition = called[COND] if called else None
    if condition is None or not condition.outputs:
        return NONE
    ref = condition.outputs[0]
    while ref.site in values.program.sites and values.program.sites[ref.site].op_type == "Identity":
        ref = next(iter(values.program.inputs_of(ref.site)), TensorRef(NONE, 0))
    site = values.program.sites.get(ref.site)
    if site is None or site.argument < 0:
        return values.ports.of(ref) if place.part == COND else NONE
    results = place.function.outputs if place.part == BODY and place.function is not None else ()
    return values.ports.of(results[site.argument]) if site.argument < len(results) else NONE


def _holds_nan(values: Values, graph: BadGraph) -> Bools:
    """Which nodes hold a NaN: events, and what only hands such a one on."""
    marks = np.zeros(len(graph), dtype=np.int64)
    is_event = graph.event != NONE
    marks[is_event] = values.events.nan[graph.event[is_event]]
    handed = ~is_event[graph.child]
    only = BadGraph(graph.event, graph.activation, graph.port, graph.rank, graph.child[handed], graph.parent[handed])
    result: Bools = only.descend(marks) > 0
    return result


def bits_of(ends: list[LoopEnd], nodes: int) -> tuple[list[LoopEnd], Ints]:
    """The first end at each of some comparisons, and for each node of the graph the bits of those that compare it."""
    first: dict[int, LoopEnd] = {}
    marks = np.zeros(nodes, dtype=np.int64)
    for end in ends:
        if end.site in first or len(first) < 60:
            first.setdefault(end.site, end)
            marks[end.node] |= 1 << list(first).index(end.site)
    return list(first.values()), marks
