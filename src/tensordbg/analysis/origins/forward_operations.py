"""Which forward operation an operation of a backward pass belongs to, where no attribute tells.

The gradient of an arc cosine is a square, a difference, a square root and a reciprocal, in no scope of their own. What
they are computed from tells: tensors of the forward pass, and the forward operation is what else takes or makes those.
Where these are several, the type tells that stands in the stack of the gradient; where they can't be followed, as they
lie in lists of tensors that a loop keeps, its name does.
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
from tensordbg.gradient_names import differentiated_name, differentiated_type
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
        self._values = values
        self._sites = values.program.sites
        self._ports = values.ports
        self._gradient_site = gradient_site
        self._flow = Flow(values, values.ports.inputs)

    def of(self, site: Site, invocation: int) -> Site | None:
        """The forward operation whose gradient a site of a backward pass computes; None where that is not certain.

        Args:
            site: The operation.
            invocation: Where it ran.
        """
        known = self._sites.get(site.gradient_of)
        if known is not None or not self._gradient_site[site.site]:
            return known
        wanted = self.type_of(site)
        if site.function == NONE:
            return self._eager(site, invocation, wanted)
        known = self._in_graph(site, wanted) or self._by_name(site, wanted)
        return known or _left_out(site) or self._only_of_type.get((site.function, wanted))

    def type_of(self, site: Site) -> str:
        """The type of the operation that is differentiated, in lower case; empty where the stack does not tell."""
        return differentiated_type(self._values.program.stacks.get(site.stack, ()))

    def _in_graph(self, site: Site, wanted: str) -> Site | None:
        ports = self._taken_from_forward(site.site)
        takers = self._forward_takers(ports)
        if wanted:
            makers = [self._sites[int(self._ports.site[port])] for port in ports]
            fitting = {each.site: each for each in (*takers, *makers) if each.op_type.lower() == wanted}
            takers = [fitting[number] for number in sorted(fitting)]
        elif len(ports) > 1:
            return None
        if len(takers) > 1:
            scope = _scope(site.name.removeprefix(_TAPE))
            takers = [each for each in takers if _scope(each.name) == scope]
        return takers[0] if len(takers) == 1 else None

    def _taken_from_forward(self, origin: int) -> list[int]:
        """The ports of the forward pass that it is computed from, constants apart; none where they are far."""
        waiting, seen, found = [origin], {origin}, set[int]()
        while waiting and len(seen) <= _MOST:
            for port in self._ports.inputs.of(waiting.pop()):
                maker = self._sites.get(int(self._ports.site[port]))
                if maker is None or _depends_on_nothing(maker):
                    continue
                if not self._gradient_site[maker.site]:
                    found.add(int(port))
                elif maker.site not in seen:
                    seen.add(maker.site)
                    waiting.append(maker.site)
        return sorted(found) if not waiting else []

    def _forward_takers(self, ports: list[int]) -> list[Site]:
        """The operations of forward passes that make something of tensors."""
        inputs = self._ports.inputs
        places = np.flatnonzero(np.isin(inputs.ports, ports))
        takers = np.unique(np.searchsorted(inputs.starts, places, side="right") - 1)
        sites = [self._sites[taker] for taker in takers.tolist() if not self._gradient_site[taker]]
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

    def _eager(self, site: Site, row: int, wanted: str) -> Site | None:
        """Of an eager operation: what took or made the values of the forward pass that it was computed from."""
        if not wanted:
            return None
        told = self._told(row, wanted)
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
                    for each in (made, *self._eager_takers(operand.invocation, slot)):
                        if self._sites[each].op_type.lower() == wanted:
                            return self._sites[each]
                elif operand.invocation not in seen and self.type_of(self._sites[made]) == wanted:
                    seen.add(operand.invocation)
                    waiting.append((self._sites[made], operand.invocation))
        return self._reading_type.get(wanted) if unseen else None

    def _told(self, row: int, wanted: str) -> Site | None:
        """The operation as the tape knew it."""
        executions = self._values.executions
        noted = self._values.program.differentiated.get(int(executions.number[row]))
        if noted is None:
            return None
        made = int(row_of(executions.number, np.array([noted.execution]))[0])
        if made == NONE:
            return None
        numbers = self._eager_takers(made, noted.slot) if noted.is_input else [int(executions.site[made])]
        fitting = {self._sites[each] for each in numbers if each in self._sites}
        fitting = {each for each in fitting if each.op_type.lower() == wanted}
        return fitting.pop() if len(fitting) == 1 else None

    @cached_property
    def _reading_type(self) -> dict[str, Site]:
        """By type, the only eager operation of the forward pass that was given a variable itself.

        The framework reads the variable then, and the gradient is given what was read as if it came from outside.
        """
        executions, found = self._values.executions, dict[str, set[int]]()
        known = np.flatnonzero(executions.input_row != NONE)
        eager = (site for site in self._sites.values() if site.function == NONE)
        read = [site.site for site in eager if operation_of(site).has(Trait.READS)]
        given = known[np.isin(executions.site[executions.input_row[known]], read)]
        takers = np.searchsorted(executions.input_starts, given, side="right") - 1
        for number in np.unique(executions.site[takers]).tolist():
            if number in self._sites and not self._gradient_site[number]:
                found.setdefault(self._sites[number].op_type.lower(), set()).add(number)
        return {op_type: self._sites[min(sites)] for op_type, sites in found.items() if len(sites) == 1}

    def _eager_takers(self, row: int, slot: int) -> Iterator[int]:
        executions = self._values.executions
        given = np.flatnonzero((executions.input_row == row) & (executions.input_slot == slot))
        takers = np.searchsorted(executions.input_starts, given, side="right") - 1
        for site in executions.site[takers[executions.function[takers] == NONE]].tolist():
            if site in self._sites and not self._gradient_site[site]:
                yield site


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
