"""One step back along the data flow: from values to the values that they were made from.

Within a graph the edges tell. At its border the walk follows the call: an argument was an input of the operation that
called the function, in a loop a result of the iteration before; a call's result is the function's; the argument of an
outermost function is what another execution made. All steps are taken for many values at a time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints, spread_ranges
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.places import BODY, Place
from tensordbg.analysis.program.ports import Edges
from tensordbg.model import NONE, CallKind, Function, TensorRef
from tensordbg.operations.kinds import Kind


@dataclass(frozen=True)
class Sources:
    """The values that some others were made from."""

    of: Ints
    """Which of the values, by position."""
    invocation: Ints
    port: Ints

    @classmethod
    def joined(cls, parts: list[Sources]) -> Sources:
        """All of several."""
        empty = np.empty(0, dtype=np.int64)
        return cls(
            np.concatenate([empty, *(part.of for part in parts)]),
            np.concatenate([empty, *(part.invocation for part in parts)]),
            np.concatenate([empty, *(part.port for part in parts)]),
        )

    def where(self, kept: Bools) -> Sources:
        """Some of them."""
        return Sources(self.of[kept], self.invocation[kept], self.port[kept])


@dataclass(frozen=True)
class Flow:
    """Walks back over one set of edges."""

    values: Values
    edges: Edges
    _passed: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)

    def sources(self, invocation: Ints, port: Ints) -> Sources:
        """Takes one step back from the values at some ports to their sources; variables are not followed here."""
        ports, invocations = self.values.ports, self.values.invocations
        site = ports.site[port]
        outermost = self.values.links.outer[invocation] == NONE
        eager = (invocations.place[invocation] == NONE) & (invocations.execution[invocation] != NONE)
        argument = ~eager & (ports.argument[site] >= 0)
        called = ~eager & ports.followed[site]
        return Sources.joined(
            [
                self._within(~(eager | argument | called), invocation, port),
                self._from_callers(eager, invocation, port),
                self._from_callers(argument & outermost, invocation, port),
                self._from_caller(argument & ~outermost, invocation, port),
                self._from_called(called, invocation, port),
            ]
        )

    def _within(self, chosen: Bools, invocation: Ints, port: Ints) -> Sources:
        """Along the edges of a graph."""
        rows = np.flatnonzero(chosen)
        site = self.values.ports.site[port[rows]]
        starts = self.edges.starts[site]
        owner, edge = spread_ranges(starts, self.edges.starts[site + 1] - starts)
        return Sources(rows[owner], invocation[rows[owner]], self.edges.ports[edge])

    def _from_callers(self, chosen: Bools, invocation: Ints, port: Ints) -> Sources:
        """From the execution that made an eager operation's inputs, or an argument of an outermost function."""
        values, executions = self.values, self.values.executions
        rows = np.flatnonzero(chosen & (invocation < len(executions)))
        execution = values.invocations.execution[invocation[rows]]
        argument = values.ports.argument[values.ports.site[port[rows]]]
        begin, end = executions.input_starts[execution], executions.input_starts[execution + 1]
        whole = values.invocations.place[invocation[rows]] == NONE
        first = np.where(whole, begin, np.minimum(begin + argument, end))
        count = np.where(whole, end - begin, np.minimum(1, end - first))
        owner, position = spread_ranges(first, count)
        made_by, slot = executions.input_row[position], executions.input_slot[position]
        made = self.made_port(made_by, slot)
        known = made != NONE
        return Sources(rows[owner][known], made_by[known], made[known])  # outermost invocations are numbered like these

    def made_port(self, execution: Ints, slot: Ints) -> Ints:
        """The port of a result of an execution, `NONE` where it is not known."""
        values = self.values
        executions, ports = values.executions, values.ports
        function = np.append(executions.function, NONE)[execution]
        site = np.append(executions.site, NONE)[execution]
        eager = (execution != NONE) & (function == NONE) & (site != NONE)
        eager[eager] &= slot[eager] < ports.count[site[eager]]
        result = (
            np.where(eager, ports.first[np.where(eager, site, 0)] + slot, NONE) if len(ports.first) else slot * 0 - 1
        )
        starts, table = self._function_outputs
        known = (execution != NONE) & (function != NONE)
        known[known] &= starts[function[known]] + slot[known] < starts[function[known] + 1]
        result[known] = table[starts[function[known]] + slot[known]]
        return result

    def _from_caller(self, chosen: Bools, invocation: Ints, port: Ints) -> Sources:
        """Arguments of a function that another called."""
        values = self.values
        rows = np.flatnonzero(chosen)
        invocation, argument = invocation[rows], values.ports.argument[values.ports.site[port[rows]]]
        place = values.invocations.place[invocation]
        starts, outer_ports, before_ports = self._arguments
        inside = starts[place] + argument < starts[place + 1]
        rows, invocation, place, argument = rows[inside], invocation[inside], place[inside], argument[inside]
        before = values.links.previous[invocation]
        made_before = before_ports[starts[place] + argument]
        turned = (before != NONE) & (made_before != NONE)
        made_outside = outer_ports[starts[place] + argument]
        made = np.where(turned, made_before, made_outside)
        result = Sources(rows, np.where(turned, before, values.links.outer[invocation]), made)
        return result.where((made != NONE) & (result.invocation != NONE))

    def _from_called(self, chosen: Bools, invocation: Ints, port: Ints) -> Sources:
        """Results of a call operation."""
        values = self.values
        rows = np.flatnonzero(chosen)
        site = values.ports.site[port[rows]]
        inner = values.links.called_from(invocation[rows], site)
        place = np.where(inner == NONE, NONE, values.invocations.place[inner])
        starts, results = self._place_outputs
        slot = port[rows] - values.ports.first[site]
        found = inner != NONE
        found[found] &= starts[place[found]] + slot[found] < starts[place[found] + 1]
        made = results[np.where(found, starts[place] + slot, 0)] if len(results) else np.full(len(rows), NONE)
        found &= made != NONE
        parts = [Sources(rows[found], inner[found], made[found])]
        for number, slot_number in {*zip(site[inner == NONE].tolist(), slot[inner == NONE].tolist(), strict=True)}:
            members = rows[(inner == NONE) & (site == number) & (slot == slot_number)]
            through = np.array(self.passed(number, slot_number), dtype=np.int64)
            owner, taken = np.repeat(members, len(through)), np.tile(through, len(members))
            parts.append(Sources(owner, invocation[owner], taken))
        return Sources.joined(parts)

    def passed(self, site: int, slot: int) -> tuple[int, ...]:
        """The inputs of a call operation that reach one of its results, if nothing in the called functions ran.

        That is what is known where no event was recorded in a call: what it returned, it was given.
        """
        if (site, slot) not in self._passed:
            self._passed[site, slot] = ()  # a function that calls itself adds nothing
            program, ports = self.values.program, self.values.ports
            call = program.sites[site]
            given = [ports.of(ref) for ref in program.inputs_of(site)]
            found: set[int] = set()
            if call.call is CallKind.WHILE:
                found.update(given[slot : slot + 1])
            else:
                shift = int(call.call is CallKind.IF)
                for function in program.called_by(call):
                    arguments = self._arguments_behind(function, slot) if function is not None else set()
                    found.update(given[k + shift] for k in arguments if k + shift < len(given))
            self._passed[site, slot] = tuple(sorted(found - {NONE}))
        return self._passed[site, slot]

    def _arguments_behind(self, function: Function, slot: int) -> set[int]:
        ports = self.values.ports
        open_ports = [ports.of(ref) for ref in function.outputs[slot : slot + 1]]
        seen: set[int] = set()
        arguments: set[int] = set()
        while open_ports:
            port = open_ports.pop()
            if port in seen or port == NONE:
                continue
            seen.add(port)
            site = int(ports.site[port])
            if ports.argument[site] >= 0:
                arguments.add(int(ports.argument[site]))
            elif ports.followed[site]:
                open_ports.extend(self.passed(site, port - int(ports.first[site])))
            else:
                open_ports.extend(self.edges.ports[self.edges.starts[site] : self.edges.starts[site + 1]].tolist())
        return arguments

    @cached_property
    def _function_outputs(self) -> tuple[Ints, Ints]:
        functions = sorted((number, each) for number, each in self.values.program.functions.items() if number >= 0)
        # An execution may name one that the trace does not hold, and a damaged trace may name millions.
        last = max([number for number, _ in functions] + [int(self.values.executions.function.max(initial=-1))])
        sizes = np.zeros(last + 2, dtype=np.int64)
        for number, function in functions:
            sizes[number + 1] = len(function.outputs)
        outputs = (ref for _, function in functions for ref in function.outputs)
        return np.cumsum(sizes), np.array([self.values.ports.of(ref) for ref in outputs], dtype=np.int64)

    @cached_property
    def _place_outputs(self) -> tuple[Ints, Ints]:
        outputs: list[tuple[TensorRef, ...]] = [
            place.function.outputs if place.function is not None else () for place in self.values.places.all
        ]
        return _flattened([[self.values.ports.of(ref) for ref in refs] for refs in outputs])

    @cached_property
    def _arguments(self) -> tuple[Ints, Ints, Ints]:
        """For each argument of each place the port outside that gave it, and the one in the iteration before."""
        outside = [self._outside(place) for place in self.values.places.all]
        before = [self._before(place, len(given)) for place, given in zip(self.values.places.all, outside, strict=True)]
        starts, outer_ports = _flattened(outside)
        return starts, outer_ports, _flattened(before)[1]

    def _outside(self, place: Place) -> list[int]:
        if place.parent == NONE:
            return []
        given = [self.values.ports.of(ref) for ref in self.values.program.inputs_of(place.call_site)]
        return given[int(place.kind is CallKind.IF) :]

    def _before(self, place: Place, count: int) -> list[int]:
        """For each argument of a loop the body's port that gives it to the next iteration; `NONE` if it stays."""
        result = [NONE] * count
        if place.kind is CallKind.WHILE:
            called = self.values.program.called_by(self.values.program.sites[place.call_site])
            body = called[BODY] if len(called) > BODY else None
            for k, ref in enumerate(body.outputs[:count] if body is not None else ()):
                result[k] = NONE if self._stays(ref, k) else self.values.ports.of(ref)
        return result

    def _stays(self, ref: TensorRef, argument: int) -> bool:
        """Whether a result of a loop's body is the argument itself."""
        program = self.values.program
        *_, last = (NONE, *(each.site for each in program.handed_on(ref, (Kind.IDENTITY, Kind.STOP_GRADIENT))))
        return last in program.sites and program.sites[last].argument == argument


def _flattened(lists: list[list[int]]) -> tuple[Ints, Ints]:
    starts = np.concatenate([[0], np.cumsum([len(each) for each in lists], dtype=np.int64)]).astype(np.int64)
    return starts, np.array([number for each in lists for number in each], dtype=np.int64)
