"""Variables: from reading one back to the write that gave it its value, in the same execution or an earlier one.

A write has no output that could be recorded. That it ran shows in its execution, and for a write inside a branch in
the events there. Within an execution reads and writes of one variable happen in the order in which they were traced
(TensorFlow adds the control edges), which is the order of their numbers; the order of events would mislead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.handles import Handles
from tensordbg.analysis.flow.order import in_program_order
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of, reads_variables, writes_variables
from tensordbg.model import NONE, Site
from tensordbg.operations.traits import Trait


@dataclass(frozen=True)
class _Accesses:
    """Reads and writes of one variable, in the order in which they happened."""

    invocation: Ints
    port: Ints
    writes: Bools
    incremental: Bools
    """Of a write: whether the new value depends on the old one."""
    bad: Bools
    """Of a read: whether what it read is not finite."""
    telling: Bools
    """Whether it tells what the variable held: not where some rows were looked up, which were finite."""

    @cached_property
    def before(self) -> Ints:
        """For each the last one before it that tells what the variable held, `NONE` where there is none."""
        last = np.maximum.accumulate(np.where(self.telling, np.arange(len(self.telling)), NONE))
        return np.concatenate([np.full(min(len(last), 1), NONE), last[:-1]])

    def places(self, chosen: Ints) -> tuple[Ints, Ints]:
        """Invocation and port of some of them."""
        return self.invocation[chosen], self.port[chosen]

    def columns(self) -> tuple[Ints, Ints, Bools, Bools, Bools, Bools]:
        """All of it."""
        return self.invocation, self.port, self.writes, self.incremental, self.bad, self.telling


@dataclass(frozen=True)
class Variables:
    """Who reads and writes which variable."""

    values: Values
    _by_block: dict[int, Ints] = field(default_factory=dict)
    _ordered: dict[int, _Accesses] = field(default_factory=dict)

    @cached_property
    def readers(self) -> Mapping[int, list[int]]:
        """The sites that read each variable."""
        return self._sites(reads_variables)

    @cached_property
    def writers(self) -> Mapping[int, list[int]]:
        """The sites that write each variable."""
        return self._sites(writes_variables)

    @cached_property
    def writing(self) -> list[int]:
        """The sites that write variables, also those that are not known."""
        return sorted(site.site for site in self.values.program.sites.values() if writes_variables(site))

    @cached_property
    def read_by(self) -> Mapping[int, list[int]]:
        """The variables that each site reads."""
        found: dict[int, list[int]] = {}
        for variable, sites in self.readers.items():
            for site in sites:
                found.setdefault(site, []).append(variable)
        return found

    @cached_property
    def reading(self) -> Bools:
        """For each site whether it reads a variable."""
        result = np.zeros(len(self.values.ports.first), dtype=np.bool_)
        result[list(self.read_by)] = True
        return result

    def touched(self, site: Site, invocation: int) -> tuple[int, ...]:
        """The variables that an operation reads or writes in an invocation, as far as they are known."""
        if site.site not in self._variables_passed:
            return site.reads or site.writes
        found = self._variables_passed[site.site][:, self.runs(site.site) == invocation]
        return tuple(number for number in found[:, 0].tolist() if number != NONE) if found.size else ()

    def runs(self, site: int) -> Ints:
        """The invocations in which a site could run."""
        block = int(self.values.ports.block[site])
        if block not in self._by_block:
            starts, order = self._blocks
            self._by_block[block] = order[starts[block] : starts[block + 1]]
        return self._by_block[block]

    def steps_back(self, variable: int) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """Where bad reads, and writes that build on the old value, have their value from.

        Returns:
            Invocation and port of each read or write, and invocation and port of what came before it.
        """
        accesses = self._accesses(variable)
        count = len(accesses.writes)
        position = np.arange(count)
        before = accesses.before
        last_write = np.maximum.accumulate(np.where(accesses.writes, position, NONE)) if count else position
        bad_reads = np.flatnonzero(~accesses.writes & accesses.bad)
        from_write = bad_reads[last_write[bad_reads] != NONE]
        building = np.flatnonzero(accesses.writes & accesses.incremental)
        same = np.concatenate([bad_reads, building])
        same = same[before[same] != NONE]
        # A read just before tells what the variable held; if that was finite, nothing bad came from it.
        same = same[~accesses.writes[before[same]] | accesses.writes[same]]
        later = np.concatenate([from_write, same])
        earlier = np.concatenate([last_write[from_write], before[same]])
        return accesses.places(later), accesses.places(earlier)

    def write_before(self, variable: int, invocation: int, port: int) -> tuple[int, int] | None:
        """Invocation and port of the last write of a variable before a read or write of it."""
        accesses, position = self._position(variable, invocation, port)
        writes = np.flatnonzero(accesses.writes[:position])
        if not len(writes):
            return None
        return int(accesses.invocation[writes[-1]]), int(accesses.port[writes[-1]])

    def read_before(self, variable: int, invocation: int, port: int) -> int:
        """The event of the last read of a variable before a write of it, unless another write came between."""
        accesses, position = self._position(variable, invocation, port)
        before = accesses.before[position : position + 1]
        if not len(before) or before[0] == NONE or accesses.writes[before[0]]:
            return NONE
        return int(self.values.event(*accesses.places(before))[0])

    def holds_first_value(self, variable: int, invocation: int, port: int) -> bool:
        """Whether what is read of a variable is what it was made with: nothing else was recorded to be written."""
        accesses, position = self._position(variable, invocation, port)
        writes = np.flatnonzero(accesses.writes[:position])
        return not len(writes) or (int(writes[-1]) == 0 and not accesses.incremental[0])

    def _position(self, variable: int, invocation: int, port: int) -> tuple[_Accesses, int]:
        if variable not in self._ordered:
            self._ordered[variable] = self._accesses(variable)
        accesses = self._ordered[variable]
        found = np.flatnonzero((accesses.invocation == invocation) & (accesses.port == port))
        return accesses, int(found[0]) if len(found) else 0

    @cached_property
    def _variables_passed(self) -> Mapping[int, Ints]:
        """Of sites that take handles which differ from call to call: the variables, a column for each run."""
        handles = Handles(self.values)
        return {site.site: handles.touched(site, self.runs(site.site)) for site in handles.open_sites()}

    def _sites(self, chosen: Callable[[Site], bool]) -> dict[int, list[int]]:
        result: dict[int, list[int]] = {}
        for site in self.values.program.sites.values():
            if chosen(site):
                given = self._variables_passed.get(site.site)
                touched = (site.reads or site.writes) if given is None else np.unique(given[given != NONE]).tolist()
                for variable in touched:
                    result.setdefault(variable, []).append(site.site)
        return result

    def _runs_on(self, site: int, variable: int) -> Ints:
        """The invocations in which a site could read or write a variable."""
        runs = self.runs(site)
        return (
            runs if site not in self._variables_passed else runs[(self._variables_passed[site] == variable).any(axis=0)]
        )

    @cached_property
    def _blocks(self) -> tuple[Ints, Ints]:
        block = self.values.invocations.block
        order = np.argsort(block, kind="stable")
        blocks = len(self.values.ports.block_size)
        return np.searchsorted(block[order], np.arange(blocks + 1)), order

    def _accesses(self, variable: int) -> _Accesses:
        parts = [self._reads(site, variable) for site in self.readers.get(variable, ())]
        parts += [self._writes(site, variable) for site in self.writers.get(variable, ())]
        columns = [np.concatenate(column) for column in zip(*(part.columns() for part in parts), strict=True)]
        order = in_program_order(self.values, columns[0], self.values.ports.site[columns[1]])
        return _Accesses(*(column[order] for column in columns))

    def _reads(self, site: int, variable: int) -> _Accesses:
        values = self.values
        runs = self._runs_on(site, variable)
        port = np.full(len(runs), values.ports.first[site], dtype=np.int64)
        event = values.event(runs, port)
        seen = event != NONE
        runs, port, event = runs[seen], port[seen], event[seen].astype(np.int64)
        no = np.zeros(len(runs), dtype=np.bool_)
        bad = values.events.bad[event]
        telling = bad | (not operation_of(values.program.sites[site]).has(Trait.READS_PARTS))
        return _Accesses(runs, port, no, no, bad, telling)

    def _writes(self, site: int, variable: int) -> _Accesses:
        values = self.values
        runs = self._runs_on(site, variable)
        port = np.full(len(runs), values.ports.first[site], dtype=np.int64)
        incremental = operation_of(values.program.sites[site]).has(Trait.BUILDS_ON_OLD)
        yes = np.ones(len(runs), dtype=np.bool_)
        return _Accesses(runs, port, yes, yes & incremental, ~yes, yes)
