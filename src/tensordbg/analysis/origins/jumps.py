"""Where the numbers grew: walks back along the largest magnitude, over steps through variables, to the biggest jump.

A product of two large numbers is no jump: what made its factors large is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

import numpy as np

from tensordbg.analysis.causes.case import Jump, LargeData
from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.flow.ancestry import Ancestry, Write
from tensordbg.analysis.flow.put_in_part import puts_as_it_is
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.locations import Locations
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import PARAMETER
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_FARTHEST = 300
_FACTOR = 10.0
"""A tensor at least so many times larger than what it was made from is a jump."""
_LARGE = 1e10
"""What came in from outside with numbers beyond this is named."""
_UNSCALED = 100.0
"""Data with numbers beyond this makes gradients large, before any rate of learning does."""

Root = tuple[str, int]
"""A type of operation and where it was made, the same in all steps and functions; or `variable` and its number."""

VARIABLE = "variable"
"""The first part of a root that is a variable: an overflow that has such a root is one of a divergence."""


@dataclass(frozen=True)
class _Step:
    """One step of the walk: a tensor, and the largest magnitude of it and of what it was made from."""

    event: int
    before: float
    after: float
    site: int
    execution: int
    variable: str = ""
    factor: float = 1.0
    """The magnitude of what it was multiplied by, which varies too and is as much a reason."""
    given: bool = False
    """Whether it was given from outside, whatever was there before."""

    @property
    def ratio(self) -> float:
        if self.given and self.after < _UNSCALED:
            return 0.0
        return self.after / self.before / self.factor if self.before else 0.0


class Jumps:
    """Finds the jump behind tensors that became too large."""

    def __init__(
        self, values: Values, ancestry: Ancestry, details: Details, locations: Locations, gradient_site: Bools
    ) -> None:
        self._values = values
        self._ancestry = ancestry
        self._gradient_site = gradient_site
        self._details = details
        self._locations = locations
        self._walks: dict[int, list[_Step]] = {}
        self._magnitudes: dict[int, float] = {}
        """Those that were asked for: a walk compares the same tensors several times."""

    def behind(self, events: Sequence[int]) -> Jump | None:
        """The biggest jump on the way to the largest of some events, None where they grew little by little."""
        jump = self._biggest(self._walk(events))
        return None if jump is None else self._described(jump)

    def of_loop(self, events: Sequence[int]) -> Jump | None:
        """The biggest jump of a variable in an update, of those that an iteration of a loop computes with.

        It makes all iterations grow, so that none of them is a jump on the way.

        Args:
            events: What an operation in the loop was given.
        """
        steps = [self._back(event)[0] for event in self._computed_with(events)]
        jump = max((step for step in steps if step.variable), key=lambda step: step.ratio, default=None)
        return None if jump is None or jump.ratio < _FACTOR else self._described(jump)

    def _computed_with(self, events: Sequence[int]) -> list[int]:
        """The values of variables that some tensors of a loop are made of, each operation looked at once."""
        ahead, sites, found = [event for event in events if event != NONE], set[int](), list[int]()
        while ahead and len(sites) < _FARTHEST:
            event = ahead.pop(0)
            site = self._ancestry.site(event).site
            if site in sites and self._variable(event) == NONE:
                continue
            sites.add(site)
            if self._variable(event) != NONE:
                found.append(event)
            else:
                ahead += self._ancestry.parents(event)
        return found

    def data(self, events: Sequence[int]) -> LargeData | None:
        """The data with large numbers of which, by updates of variables, the largest of some events was made."""
        steps = self._walk(events)
        if not any(step.variable for step in steps):
            return None
        data = [*takewhile(lambda step: self._is_data(step.event), reversed(steps))]
        largest = max(data, key=lambda step: step.after, default=None)
        if largest is None or largest.after < _UNSCALED:
            return None
        return LargeData(self._details.views([largest.event])[largest.event].tensor, largest.after)

    def root(self, events: Sequence[int]) -> frozenset[Root]:
        """By what overflows are known for those of one jump; empty where there is none.

        A variable that jumped in an update diverges, as those do that grew in many.
        """
        jump = self._biggest(self._walk(events))
        if jump is None:
            return frozenset()
        site = self._ancestry.site(jump.event)
        diverging = self.variables(events) if jump.variable and jump.before else frozenset()
        return diverging | {(site.op_type, site.stack if site.stack != NONE else site.site)}

    def variables(self, events: Sequence[int]) -> frozenset[Root]:
        """By what overflows are known for those of one divergence: the variables that grew on the way."""
        steps = self._walk(events)
        return frozenset((VARIABLE, number) for step in steps if (number := self._variable(step.event)) != NONE)

    def _variable(self, event: int) -> int:
        """The variable that a tensor was read from, or is since an update in place; `NONE` where it is none."""
        read = self._ancestry.variable(event)
        return read if read != NONE else next(iter(self._ancestry.site(event).writes), NONE)

    def _biggest(self, steps: Sequence[_Step]) -> _Step | None:
        jump = max(steps, key=lambda step: step.ratio, default=None)
        if jump is not None and jump.ratio >= _FACTOR:
            return jump
        last = steps[-1] if steps else None
        if last is None or last.after < _LARGE:
            return None
        # What a variable was set to is not the data of a step: a replay sets all variables to what they were.
        put = next((step for step in reversed(steps) if step.variable and not step.before), None)
        if self._came_in(last.event):
            return put or last
        return put if put is last or self._is_constant(last.event) else None

    def _walk(self, events: Sequence[int]) -> list[_Step]:
        """The way back from the largest of some events."""
        event = self._largest(events)
        if event not in self._walks:
            self._walks[event] = self._walk_anew(event)
        return self._walks[event]

    def _walk_anew(self, event: int) -> list[_Step]:
        steps: list[_Step] = []
        seen: set[int] = set()
        while event != NONE and event not in seen and len(steps) < _FARTHEST:
            seen.add(event)
            step, event = self._back(event)
            steps.append(step)
        return steps

    def _back(self, event: int) -> tuple[_Step, int]:
        after, site = self._magnitude(event), self._ancestry.site(event)
        execution = int(self._values.events.execution[event])
        write = self._ancestry.write_behind(event)
        if write is not None:
            variable = self._values.program.variables.get(self._ancestry.variable(event))
            old = self._magnitude(write.old)
            name = variable.name if variable else "variable"
            given = self._comes_as_it_is(write)
            step = _Step(event, old, after, write.site.site, write.execution, name, given=given)
            return step, self._largest([*write.written, *([write.old] if write.old != NONE and not given else [])])
        set_up = self._set_up(event)
        if set_up is not None:
            return set_up
        parents = self._enlarging(event, self._ancestry.parents(event))
        parent = self._largest(parents)
        updated = self._updated_in_place(site, parents)
        if updated:
            return _Step(event, self._magnitude(parents[0]), after, site.site, execution, updated), parent
        factor = self._factor(site, parents)
        return _Step(event, self._magnitude(parent), after, site.site, execution, factor=factor), parent

    def _set_up(self, event: int) -> tuple[_Step, int] | None:
        """The step over what set a variable, or a part of it, past all updates: no training made its numbers grow."""
        site, parents = self._ancestry.site(event), self._ancestry.parents(event)
        put, variable = event, self._ancestry.variable(event)
        if site.op_type == PARAMETER:  # it shows what the memory held that became the variable's
            put, parents = self._put_last(parents[0]) if parents else (NONE, [])
        elif puts_as_it_is(site) and max(parents, key=self._magnitude, default=NONE) not in (NONE, *parents[:1]):
            variable = self._variable(parents[0])
            put, parents = self._put_last(event)
        known = self._values.program.variables.get(variable)
        if known is None or (put == event and not puts_as_it_is(site)):
            return None
        maker = self._ancestry.site(put) if put != NONE else site
        given = parents[1:] if puts_as_it_is(maker) else parents
        execution = int(self._values.events.execution[event])
        return _Step(event, 0.0, self._magnitude(event), maker.site, execution, known.name), self._largest(given)

    def _put_last(self, event: int) -> tuple[int, list[int]]:
        """What put the largest number into memory that was set part by part, or copied, with its parents."""
        parents = self._ancestry.parents(event)
        while parents and puts_as_it_is(self._ancestry.site(event)):
            largest = max(parents, key=self._magnitude)
            if largest != parents[0] and not puts_as_it_is(self._ancestry.site(largest)):
                break
            event, parents = largest, self._ancestry.parents(largest)
        return event, parents

    def _comes_as_it_is(self, write: Write) -> bool:
        """Whether a write puts in what came from outside, such as weights that Python sets, as it is."""
        builds = operation_of(write.site).has(Trait.BUILDS_ON_OLD)
        return not builds and len(write.written) == 1 and self._came_in(write.written[0])

    def _enlarging(self, event: int, parents: Sequence[int]) -> Sequence[int]:
        """What a tensor was made from, but for what it was divided by or looked up at: that makes nothing large."""
        operation = operation_of(self._ancestry.site(event))
        divisor = operation.operand(Role.DENOMINATOR)
        places = (*operation.indices, *(() if divisor is None else (divisor,)))
        if not places:
            return parents
        placed = self._ancestry.placed_parents(event)
        without = {placed[place] for place in places if place in placed}
        return [parent for parent in parents if parent not in without] or parents

    def _updated_in_place(self, site: Site, parents: Sequence[int]) -> str:
        """The name of the one variable that an operation changed in place, which it was given first; else empty."""
        if len(site.writes) != 1 or len(parents) < 2 or self._variable(parents[0]) != site.writes[0]:
            return ""
        variable = self._values.program.variables.get(site.writes[0])
        return variable.name if variable is not None and variable.name else "variable"

    def _factor(self, site: Site, parents: Sequence[int]) -> float:
        """By what else that varies the largest of what a tensor was made from was multiplied, at least 1."""
        operation = operation_of(site)
        sizes = sorted(self._magnitude(each) for each in parents if each != NONE and not self._is_constant(each))
        if operation.degree and sizes:
            return max(sizes[-1], 1.0) ** (operation.degree - 1)
        multiplies = operation.has(Trait.MULTIPLIES) and not operation.has(Trait.MULTIPLIES_MANY)
        return max(sizes[-2], 1.0) if multiplies and len(sizes) > 1 else 1.0

    def _largest(self, events: Sequence[int]) -> int:
        """The largest of some tensors; a constant, or a number from Python, only where there is nothing else."""
        known = [event for event in events if event != NONE]
        varying = [event for event in known if not self._is_constant(event)]
        return max(varying or known, key=self._magnitude, default=NONE)

    def _is_constant(self, event: int) -> bool:
        if operation_of(self._ancestry.site(event)).kind is Kind.CONSTANT:
            return True
        return self._came_in(event) and bool(self._details.scalars(np.array([event]))[0])

    def _came_in(self, event: int) -> bool:
        site = self._ancestry.site(event)
        return operation_of(site).has(Trait.FROM_OUTSIDE, Trait.FROM_PIPELINE) or site.argument >= 0

    def _is_data(self, event: int) -> bool:
        """Whether a tensor is more than a number, and no variable had part in it."""
        return not self._is_constant(event) and self._without_variables(event)

    def came_in(self, event: int) -> bool:
        """Whether no variable had part in a tensor, nor what the same operation gave before."""
        return self._without_variables(event, self._ancestry.site(event).site)

    def _without_variables(self, event: int, made_by: int = NONE) -> bool:
        """Whether no variable had part in a tensor, and what an operation gave only in it itself.

        In a gradient one has, also where it isn't seen how: lists pass the values of loops to their gradients.
        """
        ahead, seen = [event], {event}
        while ahead and len(seen) < _FARTHEST:
            each = ahead.pop()
            site = self._ancestry.site(each).site
            if self._variable(each) != NONE or self._is_gradient(site) or (each != event and site == made_by):
                return False
            parents = {parent for parent in self._ancestry.parents(each) if parent != NONE} - seen
            seen |= parents
            ahead += parents
        return not ahead

    def _is_gradient(self, site: int) -> bool:
        return site != NONE and bool(self._gradient_site[site])

    def _magnitude(self, event: int) -> float:
        if event == NONE:
            return 0.0
        if event not in self._magnitudes:
            lowest, highest = self._details.range_of(np.array([event]))
            sizes = [abs(float(value)) for value in (lowest[0], highest[0]) if not math.isnan(value)]
            self._magnitudes[event] = max(sizes, default=0.0)
        return self._magnitudes[event]

    def _described(self, step: _Step) -> Jump:
        site = self._values.program.sites.get(step.site)
        told = site is not None and site.op_type != PARAMETER  # where it is first read says nothing
        source = self._locations.own(self._locations.stack(site.stack)) if site is not None and told else None
        came_in = step.given or (not step.variable and self._came_in(step.event))
        row = step.execution
        return Jump(
            tensor=step.variable or (f"{site.name}:0" if site is not None else "a tensor"),
            before=math.nan if came_in or not step.before else step.before,
            after=step.after,
            step=self._ancestry.step(row),
            updated=bool(step.variable),
            place=f"line {source.line} of {source.file.rpartition('/')[2]}, `{source.text}`" if source else "",
            shape=self._details.views([step.event])[step.event].shape,
        )
