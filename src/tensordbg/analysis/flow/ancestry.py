"""From a recorded tensor to those that it was made from, one operation at a time, and over variables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.operands import is_eager, operands
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.flow.variables import Variables
from tensordbg.analysis.program.operations import operation_of, reads_variables
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_FARTHEST = 8

NOWHERE = Site(NONE, "", "", NONE, NONE)
"""Stands for the operation of an event that the trace does not know."""


@dataclass(frozen=True)
class Write:
    """A write of a variable that a read had its value from."""

    site: Site
    execution: int
    """Row of its execution."""
    written: tuple[int, ...]
    """Events of what went into it, but for what that was divided by."""
    old: int
    """The event of the last read before it, `NONE` where there is none."""


class Ancestry:
    """Walks back from events, finite or not."""

    def __init__(self, flow: Flow, variables: Variables) -> None:
        self._flow = flow
        self._values = flow.values
        self._variables = variables

    def site(self, event: int) -> Site:
        """The operation that made a tensor."""
        return self._values.program.sites.get(int(self._values.events.site[event]), NOWHERE)

    def parents(self, event: int) -> list[int]:
        """The events of what a tensor was made from, in order, each the tensor itself or what it was passed on from."""
        values, site = self._values, self.site(event)
        invocation = int(values.invocation[event])
        if site.argument >= 0 and not is_eager(self._flow, invocation):
            step = self._flow.sources(values.invocation[event : event + 1], values.port[event : event + 1])
            places = [*zip(step.invocation.tolist(), step.port.tolist(), strict=True)]
        else:
            places = [(each.invocation, each.port) for each in operands(self._flow, site, invocation)]
        found = (resolve(self._flow, where, port) for where, port in places if port != NONE)
        return [events[-1] for events in found if events]

    def placed_parents(self, event: int) -> dict[int, int]:
        """The events of what an operation was given, by the position of the operand; arguments have none."""
        site, invocation = self.site(event), int(self._values.invocation[event])
        taken = (each for each in operands(self._flow, site, invocation) if each.port != NONE)
        found = {each.position: resolve(self._flow, each.invocation, each.port) for each in taken}
        return {position: events[-1] for position, events in found.items() if events}

    def variable(self, event: int) -> int:
        """The variable that a tensor was read from, `NONE` where it is no such read."""
        site = self.site(event)
        if not reads_variables(site):
            return NONE
        return next(iter(self._variables.touched(site, int(self._values.invocation[event]))), NONE)

    def write_behind(self, event: int) -> Write | None:
        """The write that a read of a variable had its value from; None where none was recorded."""
        values, variable = self._values, self.variable(event)
        if variable == NONE:
            return None
        place = self._variables.write_before(variable, int(values.invocation[event]), int(values.port[event]))
        if place is None:
            return None
        invocation, port = place
        write = values.program.sites[int(values.ports.site[port])]
        old = self._variables.read_before(variable, invocation, port)
        if old == NONE and operation_of(write).has(Trait.BUILDS_ON_OLD):
            old = self._set_before(variable, invocation, port)
        execution = int(values.invocations.execution[invocation])
        return Write(write, execution, self._written(write, invocation), old)

    def _set_before(self, variable: int, invocation: int, port: int) -> int:
        """What a variable was set to before a write that builds on it, where nothing else came between."""
        place = self._variables.write_before(variable, invocation, port)
        if place is None:
            return NONE
        site = self._values.program.sites[int(self._values.ports.site[place[1]])]
        written = () if operation_of(site).has(Trait.BUILDS_ON_OLD) else self._written(site, place[0])
        return written[0] if len(written) == 1 else NONE

    def _written(self, write: Site, invocation: int) -> tuple[int, ...]:
        """What a write took, but for what it divides by."""
        divisor = operation_of(write).operand(Role.DENOMINATOR)
        given = (each for each in operands(self._flow, write, invocation) if each.position != divisor)
        taken = (resolve(self._flow, each.invocation, each.port) for each in given)
        return tuple(events[-1] for events in taken if events)

    def unwritten(self, event: int) -> int:
        """The variable that a tensor comes from by itself, if it still held its first value; else `NONE`."""
        for _ in range(_FARTHEST):
            variable = self.variable(event)
            if variable != NONE:
                place = int(self._values.invocation[event]), int(self._values.port[event])
                return variable if self._variables.holds_first_value(variable, *place) else NONE
            others = [
                parent for parent in self.parents(event) if operation_of(self.site(parent)).kind is not Kind.CONSTANT
            ]
            if len(others) != 1:
                break
            event = others[0]
        return NONE

    def step(self, row: int) -> int:
        """The step of an execution."""
        return int(np.append(self._values.executions.step, NONE)[row])
