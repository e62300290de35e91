"""Where every value of the program lies: its address, and the event that tells of it.

This ties the pieces together: events, their invocations, and the numbering of ports.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, spread_ranges
from tensordbg.analysis.flow.invocations import Invocations, find_invocations, with_extent
from tensordbg.analysis.flow.links import Links, link_invocations
from tensordbg.analysis.flow.squares import with_fused_squares
from tensordbg.analysis.flow.twins import with_twins
from tensordbg.analysis.flow.uninlined_calls import settle_uninlined_calls
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Events, Executions
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.places import Places
from tensordbg.analysis.program.ports import Ports, number_ports
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait


@dataclass(frozen=True)
class Values:
    """All values that were or could have been recorded."""

    program: Program
    events: Events
    executions: Executions
    ports: Ports
    places: Places
    invocations: Invocations
    links: Links
    invocation: Ints
    """For each event its invocation."""
    port: Ints
    """For each event its port."""
    offset: Ints
    """For each invocation what to add to a port to have the address."""
    event_at: Ints
    """The event at each address, `NONE` where none was recorded."""

    @cached_property
    def passing(self) -> Bools:
        """For each site whether it only passes its input on."""
        result = self.ports.followed | (self.ports.argument >= 0)
        for number, site in self.program.sites.items():
            result[number] |= operation_of(site).has(Trait.PASSES)
        return result

    def address(self, invocation: Ints, port: Ints) -> Ints:
        """The address of a port of an invocation's block."""
        result: Ints = self.offset[invocation] + port
        return result

    def event(self, invocation: Ints, port: Ints) -> Ints:
        """The event of a port of an invocation's block, `NONE` where none was recorded."""
        result: Ints = self.event_at[self.address(invocation, port)]
        return result

    def bad_inputs_of(self, sites: list[int]) -> Ints:
        """The bad events that eager operations of some sites were given by other eager operations."""
        executions = self.executions
        rows = np.flatnonzero(np.isin(executions.site, sites) & (executions.function == NONE))
        starts = executions.input_starts[rows]
        _, position = spread_ranges(starts, executions.input_starts[rows + 1] - starts)
        row, slot = executions.input_row[position], executions.input_slot[position]
        eager = (row != NONE) & (np.append(executions.function, NONE)[row] == NONE)
        row, slot = row[eager], slot[eager]
        event = self.event(row, self.ports.first[executions.site[row]] + slot)
        event = event[event != NONE].astype(np.int64)
        bad: Ints = event[self.events.bad[event]]
        return bad


def locate_values(program: Program, events: Events, executions: Executions) -> Values:
    """Find the address of every event."""
    program = with_twins(with_fused_squares(program, events.site), events.site)
    ports = number_ports(program, np.append(events.site, executions.site), np.append(events.slot, executions.site * 0))
    places = Places(program)
    invocations, invocation = find_invocations(events, executions, ports, places)
    invocations, invocation = settle_uninlined_calls(invocations, invocation, events, executions, ports, places)
    invocations, links = link_invocations(with_extent(invocations, invocation), places)
    size = np.where(invocations.block >= 0, ports.block_size[invocations.block], 0)
    offset = np.cumsum(size) - size - np.where(invocations.block >= 0, ports.block_first[invocations.block], 0)
    port = (ports.first[events.site] + events.slot).astype(np.int32)
    invocation = invocation.astype(np.int32)
    event_at: Ints = np.full(int(size.sum()), NONE, dtype=np.int32 if len(events) < 2**31 else np.int64)
    event_at[offset[invocation] + port] = np.arange(len(events))
    return Values(program, events, executions, ports, places, invocations, links, invocation, port, offset, event_at)
