"""NaN that goes through comparisons and whole numbers, where nothing bad is left of it to be seen.

A comparison with NaN is false, the position of its maximum and its whole number are accidents. What is computed of
those alone is finite, until it divides 0 by 0: the gradient of a maximum over NaN does, since no element equals the
maximum. That is no origin, but comes of the NaN. Data that was chosen or put in place of NaN is not followed: the
program has seen to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.analysis.flow.operands import Operand, operands
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import INPUT, operation_of, reads_variables
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_NEUTRAL = -2
"""What depends on nothing that was recorded: a constant, a shape."""

_TRIED = 3
"""So many starts of one operation are looked at; if none comes of NaN, the others are taken not to either."""

_FARTHEST = 24


def join_weakly(values: Values, details: Details, graph: BadGraph, starts: Bools) -> tuple[BadGraph, Bools]:
    """Add the edges from NaN to what came of it in this way, which then starts nothing."""
    walk = _Walk(values, details, Flow(values, values.ports.inputs))
    children: list[int] = []
    parents: list[int] = []
    tried: dict[int, int] = {}
    bad = np.flatnonzero(values.events.bad)
    for node in np.flatnonzero(starts).tolist():
        port = int(graph.port[node])
        if tried.get(port, 0) >= _TRIED:
            continue
        event = walk.origin_of(int(graph.invocation[node]), port)
        if event == NONE:
            tried[port] = tried.get(port, 0) + 1
            continue
        tried[port] = -len(starts)
        children.append(node)
        parents.append(int(np.searchsorted(bad, event)))  # the first nodes are the bad events
    if not children:
        return graph, starts
    left = starts.copy()
    left[children] = False
    return graph.with_edges(np.array(children), np.array(parents)), left


@dataclass
class _Walk:
    """Walks back from what is finite."""

    values: Values
    details: Details
    flow: Flow
    _known: dict[tuple[int, int], int] = field(default_factory=dict)

    def origin_of(self, invocation: int, port: int) -> int:
        """The event of the NaN that a bad value came of, by what its operation was given; else `NONE`."""
        site = self._site(port)
        if site is None or site.argument >= 0:
            return NONE
        given = list(operands(self.flow, site, invocation))
        if operation_of(site).has(Trait.DIVIDES):
            given = [each for each in given if each.position == 1]
        return max(self._of_all(given, 0), NONE)

    def _of_all(self, given: list[Operand], depth: int) -> int:
        """What several values came of together: `NONE` if one of them came of anything else."""
        found = [self._behind(each.invocation, each.port, depth + 1) for each in given]
        return NONE if NONE in found else max(found, default=_NEUTRAL)

    def _behind(self, invocation: int, port: int, depth: int) -> int:
        """The event of the NaN that a finite value came of, `_NEUTRAL` for a constant, `NONE` for anything else."""
        key = (invocation, port)
        if key not in self._known:
            self._known[key] = NONE  # a loop's iterations are followed up to a point
            self._known[key] = NONE if port == NONE or depth > _FARTHEST else self._look(invocation, port, depth)
        return self._known[key]

    def _look(self, invocation: int, port: int, depth: int) -> int:
        site = self._site(port)
        event = int(self.values.event(np.array([invocation]), np.array([port]))[0])
        if site is None or (event != NONE and self.values.events.bad[event]):
            return NONE
        if operation_of(site).has(Trait.SHAPE_ONLY) or operation_of(site).kind is Kind.CONSTANT:
            return _NEUTRAL
        if site.op_type == INPUT:
            return _NEUTRAL if self._is_setting(event) else NONE
        if reads_variables(site):
            return NONE
        if site.argument >= 0 or self.values.ports.followed[site.site]:
            step = self.flow.sources(np.array([invocation]), np.array([port]))
            pairs = zip(step.invocation.tolist(), step.port.tolist(), strict=True)
            found = [self._behind(*pair, depth + 1) for pair in pairs]
            return NONE if NONE in found or not found else max(found)
        return self._computed(site, invocation, depth)

    def _computed(self, site: Site, invocation: int, depth: int) -> int:
        given = list(operands(self.flow, site, invocation))
        bad = [event for each in given for event in self._bad(each)]
        with_nan = [event for event in bad if self.values.events.nan[event]]
        if operation_of(site).has(Trait.COMPARES) and with_nan:
            itself = len({(each.invocation, each.port) for each in given[:2]}) == 1 < len(given)
            return NONE if itself else max(with_nan)
        if operation_of(site).has(Trait.LOOKS_UP):
            return self._of_all([each for each in given if each.position == 1], depth)
        if operation_of(site).has(Trait.TESTS_FINITE) or bad:
            return NONE
        if operation_of(site).has(Trait.CHOOSES) and given:
            chosen = self._behind(given[0].invocation, given[0].port, depth + 1)
            return chosen if chosen >= 0 else self._of_all(given, depth)
        return self._of_all(given, depth)

    def _site(self, port: int) -> Site | None:
        return self.values.program.sites.get(int(self.values.ports.site[port]))

    def _bad(self, given: Operand) -> list[int]:
        """The bad events that tell of an operand."""
        found = resolve(self.flow, given.invocation, given.port) if given.port != NONE else []
        return [event for event in found if self.values.events.bad[event]]

    def _is_setting(self, event: int) -> bool:
        """Whether a value from Python is an axis, a shape or a factor rather than data."""
        if event == NONE:
            return False
        (row,) = self.details.columns(np.array([event]), ["dtype", "shape"])
        return row["shape"] == "[]" or str(row["dtype"]).startswith(("int", "uint", "bool"))
