"""Handles: which variables an operation reads or writes where its function was handed them as arguments.

In the graph the operation takes an argument, and which variable that is may differ from call to call. It is known of
each execution which variables it was given, and of each call inside of a graph what the operation takes that makes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import operation_of, reads_variables, writes_variables
from tensordbg.analysis.program.places import Place
from tensordbg.model import NONE, CallKind, Site, TensorRef
from tensordbg.operations.kinds import Kind

_PASSING = frozenset({Kind.IDENTITY, Kind.IDENTITY_OF_SEVERAL, Kind.STOP_GRADIENT})


def handles_of(program: Program, site: Site) -> list[TensorRef]:
    """The handles that an operation of a graph takes."""
    return [ref for ref in program.inputs_of(site.site) if _is_handle(program, ref)]


@dataclass(frozen=True)
class Handles:
    """Finds the variables behind handles."""

    values: Values

    def open_sites(self) -> Iterator[Site]:
        """The sites that take handles of which it is known only in each call what they are."""
        program = self.values.program
        for site in program.sites.values():
            if site.function == NONE or not (reads_variables(site) or writes_variables(site)):
                continue
            if len(handles_of(program, site)) > len(site.reads or site.writes):
                yield site

    def touched(self, site: Site, invocation: Ints) -> Ints:
        """The variables that an operation takes: a row for each handle, a column for each invocation."""
        found = [self._behind(ref, invocation) for ref in handles_of(self.values.program, site)]
        return np.stack(found) if found else np.empty((0, len(invocation)), dtype=np.int64)

    def _behind(self, ref: TensorRef, invocation: Ints) -> Ints:
        """The variable behind one handle in each of some invocations of its graph."""
        program = self.values.program
        result = np.full(len(invocation), NONE, dtype=np.int64)
        site = program.sites.get(ref.site)
        while site is not None and operation_of(site).kind in _PASSING:
            given = program.inputs_of(site.site)
            ref = given[ref.slot] if ref.slot < len(given) else TensorRef(NONE, 0)
            site = program.sites.get(ref.site)
        if site is None or not len(invocation):
            return result
        if site.argument < 0:
            result[:] = self._made.get(site.site, NONE)
            return result
        place = self.values.invocations.place[invocation]
        for number in np.unique(place[place != NONE]).tolist():
            rows = np.flatnonzero(place == number)
            result[rows] = self._argument(self.values.places.all[number], site.argument, invocation[rows])
        return result

    def _argument(self, place: Place, argument: int, invocation: Ints) -> Ints:
        """The variable that a function was handed, in invocations at one place."""
        if place.parent == NONE:
            return self._variable_passed(place, argument, invocation)
        captures = place.function.captures if place.function is not None else ()
        if argument < len(captures) and captures[argument] != NONE:
            return np.full(len(invocation), captures[argument], dtype=np.int64)
        given = self.values.program.inputs_of(place.call_site)[int(place.kind is CallKind.IF) :]
        outer = self.values.links.outer[invocation]
        result = np.full(len(invocation), NONE, dtype=np.int64)
        known = np.flatnonzero(outer != NONE)
        if argument < len(given):  # in a loop it stays what it was before the first iteration
            result[known] = self._behind(given[argument], outer[known])
        return result

    def _variable_passed(self, place: Place, argument: int, invocation: Ints) -> Ints:
        """The variable that an execution was given."""
        executions = self.values.executions
        row = self.values.invocations.execution[invocation]
        function = np.where(row == NONE, place.block, np.append(executions.function, NONE)[row])
        captures = {number: self.values.program.functions[number].captures for number in np.unique(function).tolist()
                    if number in self.values.program.functions}  # fmt: skip
        captured = {number: each[argument] for number, each in captures.items() if argument < len(each)}
        result = np.array([captured.get(number, NONE) for number in function.tolist()], dtype=np.int64)
        starts = executions.input_starts
        position = np.append(starts[:-1], NONE)[row] + argument
        passed = np.flatnonzero((result == NONE) & (row != NONE))
        passed = passed[position[passed] < starts[row[passed] + 1]]
        result[passed] = executions.input_variable[position[passed]]
        return result

    @cached_property
    def _made(self) -> Mapping[int, int]:
        """The variable of each operation of a session's graph that makes a handle."""
        program = self.values.program
        found: dict[int, int] = {}
        names: dict[str, int] = {}
        for variable in program.variables.values():
            names[variable.name] = NONE if variable.name in names else variable.variable
        for site in program.sites.values():
            if operation_of(site).kind is Kind.HANDLE and site.function != NONE:
                found[site.site] = names.get(site.name, NONE)
        for site in program.sites.values():
            taken = handles_of(program, site) if site.function != NONE and (site.reads or site.writes) else []
            if len(taken) == len(site.reads or site.writes):
                found.update((ref.site, known) for ref, known in zip(taken, site.reads or site.writes, strict=True))
        return found


def _is_handle(program: Program, ref: TensorRef) -> bool:
    source = program.sites.get(ref.site)
    return source is not None and source.dtypes[ref.slot : ref.slot + 1] == ("resource",)
