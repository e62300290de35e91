"""Which forward operation an operation of a backward pass belongs to, where no attribute tells.

The gradient of an arc cosine is a square, a difference, a square root and a reciprocal, in no scope of their own. What
they are computed from tells: tensors of the forward pass, and the forward operation is what else takes or makes those.
Where these are several, the type tells that stands in the stack of the gradient; where they can't be followed, as they
lie in lists of tensors that a loop keeps, its name does. The gradient of a gradient belongs to what the first of the
two belongs to. Where a forward pass is computed once more for its gradient, it is that one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.operands import operands
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.events import row_of
from tensordbg.analysis.program.operations import INPUT, operation_of
from tensordbg.gradient_names import computed_by_program, differentiated_name, differentiated_type
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_PASSING = frozenset({Kind.IDENTITY, Kind.STOP_GRADIENT})
_MOST = 64
"""So many operations back are looked at: the gradient of one operation has a few."""
_TAPE = "gradient_tape/"


class ForwardOperations:
    """Finds them in a trace."""

    def __init__(self, values: Values, gradient_site: Bools) -> None:
        """`gradient_site` tells of each site whether it belongs to a backward pass."""
        self.values = values
        self._sites = values.program.sites
        self._ports = values.ports
        self._gradient_site = gradient_site & ~self._computed_by_program()
        self._flow = Flow(values, values.ports.inputs)

    def _computed_by_program(self) -> Bools:
        """For each site whether the program's own code made it while gradients were taken.

        Where a forward pass is computed once more, the gradient is taken from that one.
        """
        stacks = self.values.program.stacks
        computed = {number for number, frames in stacks.items() if computed_by_program(frames)}
        result = np.zeros(len(self._ports.first), dtype=np.bool_)
        result[[site.site for site in self._sites.values() if site.stack in computed]] = True
        return result

    def of(self, site: Site, invocation: int) -> Site | None:
        """The forward operation whose gradient a site of a backward pass computes; None where that is not certain.

        Args:
            site: The operation.
            invocation: Where it ran.
        """
        found = self._differentiated(site, invocation)
        for _ in range(_MOST):
            # What the run left out stands for itself: it has no site of its own.
            if found is None or found[0].site == site.site or not self._gradient_site[found[0].site]:
                return None if found is None else found[0]
            site, invocation = found
            found = self._differentiated(site, invocation)
        return None

    def _differentiated(self, site: Site, invocation: int) -> tuple[Site, int] | None:
        """The operation whose gradient is computed, which may be of a backward pass itself, and where it ran."""
        known = self._sites.get(site.gradient_of)
        if known is not None or not self._gradient_site[site.site]:
            return None if known is None else (known, invocation)
        wanted = self.type_of(site)
        if site.function == NONE:
            return self._eager(site, invocation, wanted)
        found = self._in_graph(site, wanted) or self._by_name(site, wanted) or _left_out(site)
        found = found or self._only_of_type.get((site.function, wanted))
        return None if found is None else (found, invocation)

    def type_of(self, site: Site) -> str:
        """The type of the operation that is differentiated, in lower case; empty where the stack does not tell."""
        return differentiated_type(self.values.program.stacks.get(site.stack, ()))

    def _in_graph(self, site: Site, wanted: str) -> Site | None:
        ports = self._taken_from_forward(site)
        takers = self._forward_takers(ports, self._order(site))
        if wanted:
            makers = [self._sites[int(self._ports.site[port])] for port in ports]
            fitting = {each.site: each for each in (*takers, *makers) if each.op_type.lower() == wanted}
            takers = [fitting[number] for number in sorted(fitting)]
        elif len(ports) > 1:
            return None
        if len(takers) > 1:
            scope = _scope(site.name.removeprefix(_TAPE))
            takers = [each for each in takers if scope in (each.name, _scope(each.name))] or takers
        # They may be an operation and its gradients.
        forward = (self.of(each, NONE) if self._gradient_site[each.site] else each for each in takers)
        found = {each.site: each for each in forward if each is not None}
        return next(iter(found.values())) if len(found) == 1 else None

    def _order(self, site: Site) -> int:
        """Of which derivative it is a part: 0 of none, 2 of the gradient of a gradient."""
        return max(1, site.name.count(_TAPE)) if self._gradient_site[site.site] else 0

    def _taken_from_forward(self, origin: Site) -> list[int]:
        """The ports of what is differentiated that it is computed from, constants apart; none where they are far."""
        order = self._order(origin)
        waiting, seen, found = [origin.site], {origin.site}, set[int]()
        while waiting and len(seen) <= _MOST:
            for port in self._ports.inputs.of(waiting.pop()):
                maker = self._sites.get(int(self._ports.site[port]))
                if maker is None or _depends_on_nothing(maker):
                    continue
                if self._order(maker) < order:
                    found.add(int(port))
                elif maker.site not in seen:
                    seen.add(maker.site)
                    waiting.append(maker.site)
        return sorted(found) if not waiting else []

    def _forward_takers(self, ports: list[int], order: int) -> list[Site]:
        """The operations of what is differentiated that make something of tensors."""
        inputs = self._ports.inputs
        places = np.flatnonzero(np.isin(inputs.ports, ports))
        takers = np.unique(np.searchsorted(inputs.starts, places, side="right") - 1)
        sites = [site for taker in takers.tolist() if self._order(site := self._sites[taker]) < order]
        operations = ((site, operation_of(site)) for site in sites)
        return [site for site, made in operations if not made.has(Trait.SHAPE_ONLY) and made.kind not in _PASSING]

    def _by_name(self, site: Site, wanted: str) -> Site | None:
        name = differentiated_name(site.name)
        named = self._forward_by_name.get(name, []) if name and wanted else []
        fitting = [each for each in named if each.op_type.lower() == wanted]
        own = [each for each in fitting if each.function == site.function]
        return next(iter(own or fitting), None)

    @cached_property
    def _only_of_type(self) -> dict[tuple[int, str], Site]:
        """By function and type, the operation that is the only one of its type in the forward pass.

        A gradient may be given values of the forward pass as if they came from outside, as those of a variable that the
        framework itself read.
        """
        found: dict[tuple[int, str], list[Site]] = {}
        for site in self._sites.values():
            if site.function != NONE and not self._gradient_site[site.site]:
                found.setdefault((site.function, site.op_type.lower()), []).append(site)
        return {key: sites[0] for key, sites in found.items() if len(sites) == 1}

    @cached_property
    def _forward_by_name(self) -> dict[str, list[Site]]:
        named: dict[str, list[Site]] = {}
        for site in self._sites.values():
            if site.function != NONE and not self._gradient_site[site.site]:
                named.setdefault(site.name, []).append(site)
        return named

    def _eager(self, site: Site, row: int, wanted: str) -> tuple[Site, int] | None:
        """Of an eager operation: what took or made the values of the forward pass that it was computed from."""
        if not wanted:
            return None
        told = self._recorded_by_tape(row, wanted)
        if told is not None:
            return told
        waiting, seen, unseen = [(site, row)], {row}, False
        while waiting and len(seen) <= _MOST:
            here, invocation = waiting.pop(0)
            for operand in operands(self._flow, here, invocation):
                made = int(self._ports.site[operand.port])
                unseen |= self._sites[made].op_type == INPUT
                if not self._gradient_site[made]:
                    slot = operand.port - int(self._ports.first[made])
                    takers = self._eager_takers(operand.invocation, slot)
                    for number, where in ((made, operand.invocation), *takers):
                        if self._sites[number].op_type.lower() == wanted and not self._gradient_site[number]:
                            return self._sites[number], where
                elif operand.invocation not in seen and self.type_of(self._sites[made]) == wanted:
                    seen.add(operand.invocation)
                    waiting.append((self._sites[made], operand.invocation))
        found = self._reading_type.get(wanted) if unseen else None
        return None if found is None else (found, NONE)

    def _recorded_by_tape(self, row: int, wanted: str) -> tuple[Site, int] | None:
        """The operation as the tape knew it."""
        executions = self.values.executions
        noted = self.values.program.differentiated.get(int(executions.number[row]))
        if noted is None:
            return None
        made = int(row_of(executions.number, np.array([noted.execution]))[0])
        if made == NONE:
            return None
        places = [*self._eager_takers(made, noted.slot)] if noted.is_input else [(int(executions.site[made]), made)]
        # An operation is differentiated after it has run.
        fitting = {
            self._sites[number]: where
            for number, where in places
            if where < row and number in self._sites and self._sites[number].op_type.lower() == wanted
        }
        forward = {site: where for site, where in fitting.items() if not self._gradient_site[site.site]} or fitting
        return next(iter(forward.items())) if len(forward) == 1 else None

    @cached_property
    def _reading_type(self) -> dict[str, Site]:
        """By type, the only eager operation of the forward pass that was given a variable itself.

        The framework reads the variable then, and the gradient is given what was read as if it came from outside.
        """
        executions, found = self.values.executions, dict[str, set[int]]()
        known = np.flatnonzero(executions.input_row != NONE)
        eager = (site for site in self._sites.values() if site.function == NONE)
        read = [site.site for site in eager if operation_of(site).has(Trait.READS)]
        given = known[np.isin(executions.site[executions.input_row[known]], read)]
        takers = np.searchsorted(executions.input_starts, given, side="right") - 1
        for number in np.unique(executions.site[takers]).tolist():
            if number in self._sites and not self._gradient_site[number]:
                found.setdefault(self._sites[number].op_type.lower(), set()).add(number)
        return {op_type: self._sites[min(sites)] for op_type, sites in found.items() if len(sites) == 1}

    def _eager_takers(self, row: int, slot: int) -> Iterator[tuple[int, int]]:
        """The sites of the eager operations that were given a tensor, and where they ran."""
        executions = self.values.executions
        given = np.flatnonzero((executions.input_row == row) & (executions.input_slot == slot))
        takers = np.searchsorted(executions.input_starts, given, side="right") - 1
        takers = takers[executions.function[takers] == NONE]
        for site, where in zip(executions.site[takers].tolist(), takers.tolist(), strict=True):
            if site in self._sites:
                yield site, where


def _left_out(site: Site) -> Site | None:
    """The forward operation as the attributes name it, where the run did not need it."""
    told = json.loads(site.attributes or "{}").get("forward")
    if not isinstance(told, dict):
        return None
    name, op_type, stack = (told.get(key) for key in ("name", "op_type", "stack"))
    if not isinstance(name, str) or not isinstance(op_type, str) or not isinstance(stack, int):
        return None
    return replace(site, name=name, op_type=op_type, stack=stack, inputs=(), reads=(), writes=())


def _scope(name: str) -> str:
    return name.rpartition("/")[0]


def _depends_on_nothing(site: Site) -> bool:
    operation = operation_of(site)
    return operation.kind is Kind.CONSTANT or operation.has(Trait.SHAPE_ONLY)
