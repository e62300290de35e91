"""Edges between ports, as the program is written: what is made from what, whatever runs and however often.

The walk of `dataflow.py` leads from one value to those that it was made from; here it is enough to know which outputs
of which operations an output is made from. Edges go into called functions and out of them, from one iteration of a loop
to the next, and between executions. From a write of a variable to its reads they are kept apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Bools, Ints, spread_ranges
from tensordbg.analysis.columns.spread import spread
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.held import held_variables
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.program.ports import Ports
from tensordbg.model import NONE, CallKind, Function, Site
from tensordbg.operations.kinds import Kind


@dataclass(frozen=True)
class Wiring:
    """The edges between the ports of a program."""

    program: Program
    ports: Ports
    source: Ints
    """For each edge the port that is taken."""
    target: Ints
    """For each edge the port that is made of it."""

    def parents(self, port: int) -> list[int]:
        """The ports that a port is made from."""
        order, starts = self._by_target
        found: list[int] = self.source[order[starts[port] : starts[port + 1]]].tolist()
        return found

    def children(self, port: int) -> list[int]:
        """The ports that are made from a port."""
        order, starts = self._by_source
        found: list[int] = self.target[order[starts[port] : starts[port + 1]]].tolist()
        return found

    def ancestors(self, marked: Bools) -> Bools:
        """The marked ports and all that they are made from."""
        return spread(marked.astype(np.int64), self.target, self.source, -np.arange(len(marked))) > 0

    def descendants(self, marked: Bools) -> Bools:
        """The marked ports and all that is made from them."""
        return spread(marked.astype(np.int64), self.source, self.target, np.arange(len(marked))) > 0

    def without(self, dropped: Bools) -> Wiring:
        """Returns a wiring without the edges to some ports.

        Args:
            dropped: For each port whether nothing is to lead to it.
        """
        kept = ~dropped[self.target]
        return Wiring(self.program, self.ports, self.source[kept], self.target[kept])

    def site(self, port: int) -> Site | None:
        """The site of a port."""
        return self.program.sites.get(int(self.ports.site[port]))

    @cached_property
    def _by_target(self) -> tuple[Ints, Ints]:
        return _sorted(self.target, len(self.ports.site))

    @cached_property
    def _by_source(self) -> tuple[Ints, Ints]:
        return _sorted(self.source, len(self.ports.site))


def wire(program: Program, ports: Ports, executions: Executions) -> Wiring:
    """Find the edges of a program."""
    pairs = [
        _inside(program, ports),
        _one_by_one(program, ports),
        _between_calls(program, ports),
        _between_executions(program, ports, executions),
    ]
    source, target = np.concatenate(pairs, axis=1)
    known = (source != NONE) & (target != NONE)
    return Wiring(program, ports, source[known], target[known])


def _sorted(keys: Ints, count: int) -> tuple[Ints, Ints]:
    order = np.argsort(keys, kind="stable")
    return order, np.searchsorted(keys[order], np.arange(count + 1))


def _inside(program: Program, ports: Ports) -> Ints:
    """From what an operation takes to each of its outputs; calls that are followed have edges of their own."""
    edges = ports.carrying
    consumer = np.repeat(np.arange(len(ports.first)), np.diff(edges.starts))
    apart = np.zeros(len(ports.first), dtype=np.bool_)
    sites = program.sites.values()
    apart[[site.site for site in sites if _is_one_by_one(site) or _is_followed(program, site)]] = True
    plain = ~apart[consumer]
    consumer, source = consumer[plain], edges.ports[plain]
    owner, target = spread_ranges(ports.first[consumer], ports.count[consumer])
    return np.stack([source[owner], target])


def _one_by_one(program: Program, ports: Ports) -> Ints:
    """Through operations whose output k is input k."""
    pairs = [
        (ports.of(ref), int(ports.first[site.site]) + slot)
        for site in program.sites.values()
        if _is_one_by_one(site) and site.function != NONE
        for slot, ref in enumerate(program.inputs_of(site.site)[: int(ports.count[site.site])])
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def _is_followed(program: Program, site: Site) -> bool:
    return site.call in (CallKind.CALL, CallKind.IF, CallKind.WHILE) and any(program.called_by(site))


def _between_calls(program: Program, ports: Ports) -> Ints:
    pairs = [
        pair for site in program.sites.values() if _is_followed(program, site) for pair in _call(program, ports, site)
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def _call(program: Program, ports: Ports, site: Site) -> Iterator[tuple[int, int]]:
    """The edges of one call operation."""
    given = [ports.of(ref) for ref in program.inputs_of(site.site)][int(site.call is CallKind.IF) :]
    results = range(int(ports.first[site.site]), int(ports.first[site.site] + ports.count[site.site]))
    called = [function for function in program.called_by(site) if function is not None]
    loop = site.call is CallKind.WHILE
    for function in called:
        arguments = _arguments(ports, function)
        outputs = [ports.of(ref) for ref in function.outputs]
        yield from zip(given, arguments, strict=False)
        if not loop:
            yield from zip(outputs, results, strict=False)
        elif function is called[-1]:  # the body
            yield from zip(outputs, results, strict=False)
            for other in called:
                yield from zip(outputs, _arguments(ports, other), strict=False)
    if loop:
        yield from zip(given, results, strict=False)


def _arguments(ports: Ports, function: Function) -> list[int]:
    return [int(ports.first[site]) if 0 <= site < len(ports.first) else NONE for site in function.arguments]


def _between_executions(program: Program, ports: Ports, executions: Executions) -> Ints:
    """From results of executions to the eager operations and functions that were given them."""
    consumer = np.repeat(np.arange(len(executions)), np.diff(executions.input_starts))
    position = np.arange(len(consumer)) - executions.input_starts[consumer]
    known = executions.input_row != NONE
    consumer, position = consumer[known], position[known]
    producer, slot = executions.input_row[known], executions.input_slot[known]
    function, site = executions.function, np.where(executions.function == NONE, executions.site, NONE)
    position[function[consumer] == NONE] = 0  # every output of an eager operation is made of every input
    # What is made of a variable is made of the variable, whichever step has written it.
    made = _as_read(program, site)[producer]
    columns = [
        function[producer],
        np.where(slot == 0, made, site[producer]),
        slot,
        function[consumer],
        site[consumer],
        position,
    ]
    _, first = np.unique(mixed(*columns), return_index=True)
    pairs = [
        (_result(program, ports, *row[:3]), taken)
        for row in np.stack([column[first] for column in columns], axis=1).tolist()
        for taken in _taken(program, ports, *row[3:])
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2).T


def _as_read(program: Program, site: Ints) -> Ints:
    """For each eager operation its site, of one that writes what a variable holds the site of that."""
    stands_for = np.arange(program.site_count + 1)  # the last for NONE
    stands_for[-1] = NONE
    for write, variable in held_variables(program).writes.items():
        stands_for[write] = variable
    return np.where((site >= 0) & (site < program.site_count), stands_for[np.clip(site, 0, program.site_count)], site)


def _result(program: Program, ports: Ports, function: int, site: int, slot: int) -> int:
    if function == NONE:
        return int(ports.first[site]) + slot if 0 <= site < len(ports.first) and slot < ports.count[site] else NONE
    outputs = program.functions[function].outputs if function in program.functions else ()
    return ports.of(outputs[slot]) if slot < len(outputs) else NONE


def _taken(program: Program, ports: Ports, function: int, site: int, position: int) -> range | list[int]:
    if function == NONE:
        known = 0 <= site < len(ports.first)
        return range(int(ports.first[site]), int(ports.first[site] + ports.count[site])) if known else []
    arguments = _arguments(ports, program.functions[function]) if function in program.functions else []
    return arguments[position : position + 1]


def _is_one_by_one(site: Site) -> bool:
    return operation_of(site).kind is Kind.IDENTITY_OF_SEVERAL
