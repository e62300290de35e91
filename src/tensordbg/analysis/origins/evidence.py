"""Evidence gathered of each reported origin: the events of its inputs, of its past, and what made its inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.ancestry import Ancestry
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.analysis.flow.history import earlier_events, earlier_iterations
from tensordbg.analysis.flow.operands import Operand, is_eager, operands
from tensordbg.analysis.flow.put_in_part import put_into
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.flow.variables import Variables
from tensordbg.analysis.program.operations import operation_of, reads_variables, type_of, writes_variables
from tensordbg.analysis.program.optimizers import update_of
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_FARTHEST = 6


_COPIED = 4
"""So many operations are followed from a value to the variable that it is put into."""


@dataclass(frozen=True)
class InputEvidence:
    """One input: its name in the operation's own graph, and the events that tell of it."""

    tensor: str
    op_type: str
    event: int
    """`NONE` where it is not recorded."""
    made_by: tuple[str, ...]
    """Types of the operations that made its elements, the latest first."""
    same: frozenset[int]
    """Events of the same elements: its own, and those of what it was passed on or reshaped from."""
    past: tuple[int, ...]
    position: int = NONE
    """Among the operands, variables counted; `NONE` for the old value of a variable."""
    unwritten: int = NONE
    """The variable that it comes from, if that still held its first value."""
    iterations: tuple[int, ...] = ()
    """The same tensor in the iterations of the loop before, in the same execution."""


@dataclass(frozen=True)
class Evidence:
    """All that the reasons of one origin are found from."""

    event: int
    site: Site
    """The operation to blame; of a bad variable the write, if one is known."""
    execution: int
    """Row of its execution."""
    written: bool
    """Whether the operation to blame is a write, and the event the read after it."""
    feeds_variable: bool
    """Whether the value was written into a variable as it is."""
    variables: tuple[str, ...]
    """Names of the variables that the operation reads or writes, or into which its value was written."""
    inputs: tuple[InputEvidence, ...]
    past: tuple[int, ...]
    """The same tensor before."""
    incomplete: bool = False
    """Whether something that went into the operation, or into the variable that it reads, is not in the trace."""
    left_out: bool = False
    """Whether something that went into it is recorded of other steps, and not of this one."""
    feeds_trained: bool = False
    """Whether a variable that it was written into as it is is trained."""
    likely: int = NONE
    """Of a value from outside the event that it was likely made of in Python, see `flow/returns.py`."""


class Gatherer:
    """Gathers evidence; one for all origins of a trace."""

    def __init__(self, values: Values, variables: Variables, graph: BadGraph) -> None:
        self._values = values
        self._variables = variables
        self._flow = Flow(values, values.ports.inputs)
        self.ancestry = Ancestry(self._flow, variables)
        self._graph = graph
        self._parents = np.argsort(graph.child, kind="stable")
        self._children = np.argsort(graph.parent, kind="stable")
        self._recorded = np.zeros(len(values.ports.site), dtype=np.bool_)
        self._recorded[values.port[values.port != NONE]] = True

    def gather(self, node: int) -> Evidence:
        """Gather what is known of an origin."""
        values, graph = self._values, self._graph
        event = int(graph.event[node])
        past = tuple(earlier_events(values, event))
        invocation, number = int(graph.invocation[node]), int(values.ports.site[graph.port[node]])
        written = False
        inputs: list[InputEvidence] = []
        for parent in self._next_to(node, self._parents, graph.child, graph.parent):
            site = values.program.sites[int(values.ports.site[graph.port[parent]])]
            if graph.event[parent] == NONE and writes_variables(site):
                invocation, number, written = int(graph.invocation[parent]), site.site, True
        if not written and (update := self._update_behind(event)) is not None:
            (invocation, number), written = update, True
        site = values.program.sites[number]
        if written:
            before = past[-1] if past else NONE
            read = self._values.program.variables.get(self.ancestry.variable(event))
            names = [read.name] if read is not None else self._names(number, invocation)
            old = f"{next(iter(names), 'variable')} (old)"
            inputs.append(InputEvidence(old, type_of(Kind.READ, site.framework), before, (), frozenset(), past[:-1]))
        inputs += self._inputs(site, invocation)
        below = self._next_to(node, self._children, graph.parent, graph.child)
        feeds = [put for child in below for put in self._put(child)]
        fed = [number for put in feeds for number in put]
        variables = (*self._names(number, invocation), *self._named(fed))
        execution = int(values.invocations.execution[invocation])
        if written:
            # The value before, and what was written.
            incomplete = len(inputs) < 2 or any(each.event == NONE for each in inputs)
        else:
            incomplete = self._incomplete(site, invocation, inputs)
        told = (written, bool(feeds), variables, tuple(inputs), past, incomplete)
        trains = any(self._is_trained(each) for each in fed)
        left_out = self._left_out(site, invocation)
        return Evidence(event, site, execution, *told, left_out=left_out, feeds_trained=trains)

    def _put(self, node: int) -> Iterator[tuple[int, ...]]:
        """The variables into which something puts a value as it is, as far as they are known.

        A write that names the variable, or a copy into memory that is the variable's, or is then read as it.
        """
        values, graph = self._values, self._graph
        for depth in range(_COPIED):
            place = int(values.ports.site[graph.port[node]]), int(graph.invocation[node])
            site = values.program.sites[place[0]]
            if _puts_in_place(site) or (depth and reads_variables(site)):
                yield self._variables.touched(site, place[1])
            elif parts := put_into(values, site):
                yield parts
            below = self._next_to(node, self._children, graph.parent, graph.child)
            copies = operation_of(site).has(Trait.MOVES) or operation_of(site).kind is Kind.CAST
            if not copies or len(below) != 1:
                return
            node = below[0]

    def _update_behind(self, event: int) -> tuple[int, int] | None:
        """Invocation and site of the update that left a bad number in a variable, where nothing else leads there.

        An optimizer's update of reference variables puts out the first of them alone, though a slot may have gone bad.
        And a NaN that begins with infinities which went into the update is not held to come of these.
        """
        variable = self.ancestry.variable(event)
        if variable == NONE:
            return None
        place = self._values.invocation[event], self._values.port[event]
        before = self._variables.write_before(variable, *map(int, place))
        site = self._values.program.sites[int(self._values.ports.site[before[1]])] if before is not None else None
        if before is None or site is None or not operation_of(site).has(Trait.BUILDS_ON_OLD):
            return None
        is_first = update_of(site.op_type) is not None and variable not in site.writes[1:]
        return None if is_first else (before[0], site.site)

    def _names(self, site: int, invocation: int) -> list[str]:
        return self._named(self._variables.touched(self._values.program.sites[site], invocation))

    def _named(self, variables: Iterable[int]) -> list[str]:
        known = self._values.program.variables
        return [known[number].name for number in variables if number in known]

    def _is_trained(self, variable: int) -> bool:
        known = self._values.program.variables.get(variable)
        return known is not None and bool(known.trainable)

    def _next_to(self, node: int, order: Ints, key: Ints, other: Ints) -> list[int]:
        first, last = np.searchsorted(key, [node, node + 1], sorter=order)
        return [int(found) for found in other[order[first:last]]]

    def _incomplete(self, site: Site, invocation: int, inputs: list[InputEvidence]) -> bool:
        executions = self._values.executions
        if reads_variables(site):
            return True
        eager = is_eager(self._flow, invocation)
        if not eager and site.argument < 0:
            return any(each.event == NONE for each in inputs)
        if invocation >= len(executions):  # the argument of a function that another called
            return False
        first, last = executions.input_starts[invocation], executions.input_starts[invocation + 1]
        if eager:
            return bool((executions.input_row[first:last] == NONE).any()) or any(each.event == NONE for each in inputs)
        # What made a bad argument would be the origin, if its tensor were there still.
        return bool(last - first > site.argument)

    def _left_out(self, site: Site, invocation: int) -> bool:
        taken = (each for each in operands(self._flow, site, invocation) if each.port != NONE)
        return any(self._recorded[each.port] and not resolve(self._flow, each.invocation, each.port) for each in taken)

    def _inputs(self, site: Site, invocation: int) -> list[InputEvidence]:
        found = operands(self._flow, site, invocation)
        return [self._input(each) for each in found]

    def _input(self, given: Operand) -> InputEvidence:
        events = resolve(self._flow, given.invocation, given.port) if given.port != NONE else []
        event = events[-1] if events else NONE
        if event == NONE:
            return InputEvidence(given.tensor, given.op_type, NONE, (), frozenset(), (), given.position)
        past, iterations = (tuple(find(self._values, event)) for find in (earlier_events, earlier_iterations))
        told = (event, *self._behind(event), past, given.position, self.ancestry.unwritten(event), iterations)
        return InputEvidence(given.tensor, given.op_type, *told)

    def _behind(self, event: int) -> tuple[tuple[str, ...], frozenset[int]]:
        """The operations behind an event, back to the first that computes something: their types and events."""
        types: list[str] = []
        events: set[int] = set()
        while event != NONE and len(types) < _FARTHEST:
            site = self._values.program.sites.get(int(self._values.events.site[event]))
            if site is None:
                break
            types.append(site.op_type)
            events.add(event)
            if not operation_of(site).has(Trait.REARRANGES) and site.argument < 0:
                break
            event = self._first_input(event)
        return tuple(types), frozenset(events)

    def _first_input(self, event: int) -> int:
        values = self._values
        step = self._flow.sources(values.invocation[event : event + 1], values.port[event : event + 1])
        events = resolve(self._flow, int(step.invocation[0]), int(step.port[0])) if len(step.of) else []
        return events[-1] if events else NONE


def _puts_in_place(site: Site) -> bool:
    """Whether an operation writes what it is given into a variable as it is."""
    operation = operation_of(site)
    changes = operation.has(Trait.BUILDS_ON_OLD) and not operation.has(Trait.PUTS_IN_PLACE)
    return writes_variables(site) and not changes
