"""Divisors that shrank step by step, such as a learned temperature, behind numbers that became too large.

What is divided by them grows as what a training that diverges computes does, but no learning rate is to blame.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from tensordbg.analysis.causes.case import Growth, ShrunkDivisor, magnitude
from tensordbg.analysis.finding import TensorView
from tensordbg.analysis.flow.ancestry import Ancestry
from tensordbg.analysis.flow.history import earlier_events, earlier_iterations
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.origins.evidence import Evidence
from tensordbg.analysis.origins.forward_operations import ForwardOperations
from tensordbg.analysis.origins.growth import Between, grown
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Health
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_FARTHEST = 60
_COPIED = 8
"""So many operations are followed from a divisor to the variable that it is."""
_AS_MUCH = 1.5
"""A dividend that grew by more than this times as much as the divisor shrank is what made the quotient large."""

Earlier = Callable[[Values, int], list[int]]
"""How a tensor is looked for as it was before: `earlier_events` or `earlier_iterations`."""


class Divisors:
    """Finds them; one for all origins of a trace."""

    def __init__(
        self,
        operations: ForwardOperations,
        ancestry: Ancestry,
        details: Details,
        locations: Locations,
        between: Between,
    ) -> None:
        self._operations = operations
        self._values = operations.values
        self._ancestry = ancestry
        self._details = details
        self._locations = locations
        self._between = between

    def behind(self, evidence: Evidence, growth: Growth | None) -> ShrunkDivisor | None:
        """The divisor by which an operation, or what it was given, became large; None where none shrank.

        Args:
            evidence: What is known of the operation.
            growth: Its input that grew most.
        """
        if evidence.written:
            return None
        given = {each.position: each.event for each in evidence.inputs}
        found = self._divided(evidence.event, given)
        grew = [each.event for each in evidence.inputs if growth is not None and each.tensor == growth.tensor]
        return found or next((found for event in grew if (found := self._on_the_way(event)) is not None), None)

    def _on_the_way(self, event: int) -> ShrunkDivisor | None:
        """The first such divisor on the way back along the largest magnitude, within the step."""
        for _ in range(_FARTHEST):
            if event == NONE or self._variable(event) != NONE:
                break
            given = self._ancestry.placed_parents(event)
            if (found := self._divided(event, given)) is not None:
                return found
            place = operation_of(self._ancestry.site(event)).operand(Role.DENOMINATOR)
            others = [parent for position, parent in given.items() if position != place]
            event = max(others, key=self._magnitude, default=NONE)
        return None

    def _divided(self, event: int, given: Mapping[int, int]) -> ShrunkDivisor | None:
        """The divisor of an operation, if it shrank by as much as what it divides grew."""
        site = self._ancestry.site(event)
        place = operation_of(site).operand(Role.DENOMINATOR)
        divisor = NONE if place is None else given.get(place, NONE)
        if divisor == NONE:
            return None
        pasts = (self._past(divisor, earlier) for earlier in (earlier_events, earlier_iterations))
        shrinking = ((past, grown("", past, self._between, _inverse)) for past in pasts)
        past, shrank = next(((past, found) for past, found in shrinking if found is not None), ([], None))
        if shrank is None:
            return None
        ratio = shrank.magnitudes[-1] / shrank.magnitudes[0]
        first = past[-len(shrank.magnitudes)].step
        if any(self._growth_since(each, first) > _AS_MUCH * ratio for each in given.values() if each != divisor):
            return None
        forward = self._operations.of(site, int(self._values.invocation[event])) or site
        source = self._locations.own(self._locations.stack(forward.stack))
        return ShrunkDivisor(
            name=self._name(divisor),
            sizes=tuple(1 / each for each in shrank.magnitudes),
            unit=shrank.unit,
            place=f"line {source.line} of {source.file.rpartition('/')[2]}, `{source.text}`" if source else "",
            variable=self._variable(self._original(divisor)) != NONE,
            exponential=operation_of(self._ancestry.site(divisor)).has(Trait.EXPONENTIAL),
        )

    def _past(self, event: int, earlier: Earlier = earlier_events) -> list[TensorView]:
        events = [*earlier(self._values, event), event]
        views = self._details.views(events)
        return [views[each] for each in events]

    def _growth_since(self, event: int, step: int) -> float:
        """By how much a tensor is larger than it was in a step."""
        past = [magnitude(view.health) for view in self._past(event) if view.step >= step]
        return past[-1] / past[0] if past and past[0] else 1.0

    def _magnitude(self, event: int) -> float:
        return magnitude(self._details.views([event])[event].health) if event != NONE else 0.0

    def _variable(self, event: int) -> int:
        """The variable that a tensor was read from, or is since an update in place; `NONE` where it is none."""
        read = self._ancestry.variable(event)
        return read if read != NONE else next(iter(self._ancestry.site(event).writes), NONE)

    def _original(self, event: int) -> int:
        """What a tensor was passed on, reshaped or cast from."""
        for _ in range(_COPIED):
            operation = operation_of(self._ancestry.site(event))
            parents = self._ancestry.parents(event)
            moves = operation.kind in (Kind.CAST, Kind.IDENTITY) or operation.has(Trait.REARRANGES, Trait.MOVES)
            if self._variable(event) != NONE or not moves or not parents:
                break
            event = parents[0]
        return event

    def _name(self, event: int) -> str:
        variable = self._values.program.variables.get(self._variable(self._original(event)))
        if variable is not None and variable.name:
            return variable.name
        return self._details.views([event])[event].tensor


def _inverse(health: Health | None) -> float:
    """How large what is divided by a tensor may become: infinite where it has a 0, or numbers of both signs."""
    if health is None or math.isnan(health.min):
        return 0.0
    least = 0.0 if health.min <= 0 <= health.max else min(abs(health.min), abs(health.max))
    return 1 / least if least else math.inf
