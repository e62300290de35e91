"""Stores that hold tensors between runs, beside variables: queues, staging areas, accumulators, tensor arrays.

What is put in has no result, and what is taken out comes from no recorded operation, so this part of the data flow is
known in the large: something bad that is taken out goes back to the bad values put in since the last time, or, if there
are none, as what fills a queue runs ahead, to all that were put in before.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import named, operation_of
from tensordbg.model import NONE, CallKind, Site, TensorRef
from tensordbg.operations.kinds import Kind

_MOST_SOURCES = 64
"""What is taken out is linked to at most so many bad values, the latest."""

_FARTHEST = 64
"""A handle is followed through so many operations."""

_PASSING = frozenset({Kind.ENTER, Kind.IDENTITY, Kind.SWITCH})


def puts_into(op_type: str) -> str:
    """Names the store that an operation of a type puts tensors into; empty where there is none."""
    return named(op_type).puts_into


def takes_out_of(op_type: str) -> str:
    """Names the store that an operation of a type takes tensors out of; empty where there is none."""
    return named(op_type).takes_out_of


def store_links(values: Values) -> tuple[Ints, Ints]:
    """Which bad events were taken out of a store, and the bad events from which they may have come.

    Returns:
        Pairs of events: what was taken, and what was put in.
    """
    bad = np.flatnonzero(values.events.bad)
    sites = values.program.sites
    taking = {number: site for number, site in sites.items() if operation_of(site).takes_out_of}
    made, source = [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
    taken = bad[np.isin(values.ports.site[values.port[bad]], list(taking))]
    if len(taken):
        puts = _Puts(values, bad)
        last: dict[int, int] = {}
        for event in taken.tolist():
            port = int(values.port[event])
            given = puts.into(taking[int(values.ports.site[port])])
            begin, end = np.searchsorted(given, [last.get(port, NONE) + 1, event])
            found = (given[begin:end] if begin < end else given[:end])[-_MOST_SOURCES:]
            last[port] = event
            made.append(np.full(len(found), event, dtype=np.int64))
            source.append(found)
    return np.concatenate(made), np.concatenate(source)


class _Puts:
    """The bad events that were put into stores."""

    def __init__(self, values: Values, bad: Ints) -> None:
        self._values = values
        self._bad = bad
        self._handles = _Handles(values.program)
        self._known: dict[tuple[str, str], Ints] = {}

    def into(self, site: Site) -> Ints:
        """Those that an operation may have taken out."""
        key = operation_of(site).takes_out_of, self._handles.name(site)
        if key not in self._known:
            putting = self._putting.get(key[0], [])
            wanted = [put for put in putting if self._handles.name(put) in {key[1], ""} or not key[1]]
            eagerly = self._values.bad_inputs_of([site.site for site in wanted])
            self._known[key] = np.unique(np.concatenate([self._from_graphs(wanted), eagerly]))
        return self._known[key]

    @cached_property
    def _putting(self) -> Mapping[str, list[Site]]:
        found: dict[str, list[Site]] = {}
        for site in self._values.program.sites.values():
            store = operation_of(site).puts_into
            if store:
                found.setdefault(store, []).append(site)
        return found

    def _from_graphs(self, sites: list[Site]) -> Ints:
        program, ports = self._values.program, self._values.ports
        given = [ref for site in sites for ref in program.inputs_of(site.site)]
        found = {ports.of(behind) for ref in given for behind in program.handed_on(ref)}
        return self._bad[np.isin(self._values.port[self._bad], list(found - {NONE}))].astype(np.int64)


class _Handles:
    """Follows the handles of stores to what made them."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def name(self, site: Site) -> str:
        """The name of the operation that made what a site puts into or takes from; empty where it isn't known."""
        given = self._program.inputs_of(site.site)
        return self._maker(given[0], _FARTHEST) if given else ""

    def _maker(self, ref: TensorRef, farthest: int) -> str:
        site = self._program.sites.get(ref.site)
        if site is None or not farthest:
            return ""
        given = self._program.inputs_of(site.site)
        if site.argument >= 0:
            given = self._values_passed(site)
        elif operation_of(site).kind is Kind.TENSOR_ARRAY_GRADIENT:
            maker = self._maker(given[0], farthest - 1) if given else ""
            return maker and f"{maker}, gradient"
        elif operation_of(site).kind not in _PASSING:
            return site.name if site.function != NONE else ""
        return self._maker(given[0], farthest - 1) if given else ""

    def _values_passed(self, argument: Site) -> list[TensorRef]:
        """What the calls of a function give for an argument."""
        found = []
        for call in self._calls.get(argument.function, ()):
            given = self._program.inputs_of(call.site)[int(call.call is CallKind.IF) :]
            found.extend(given[argument.argument : argument.argument + 1])
        return found

    @cached_property
    def _calls(self) -> Mapping[int, list[Site]]:
        """The operations that call each graph."""
        found: dict[int, list[Site]] = {}
        for site in self._program.sites.values():
            if site.call in (CallKind.CALL, CallKind.IF, CallKind.WHILE):
                for function in filter(None, self._program.called_by(site)):
                    found.setdefault(function.graph, []).append(site)
        return found
