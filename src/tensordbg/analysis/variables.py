"""Variables: from reading one back to the write that gave it its value, in the same execution or an earlier one.

A write has no output that could be recorded. That it ran shows in its execution, and for a write inside a branch in
the events there. Within an execution reads and writes of one variable happen in the order in which they were traced
(TensorFlow adds the control edges), which is the order of their numbers; the order of events would mislead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tensordbg.analysis.operations import INCREMENTAL_WRITES
from tensordbg.analysis.order import in_program_order
from tensordbg.analysis.reading import Bools, Ints
from tensordbg.analysis.values import Values
from tensordbg.model import NONE


@dataclass(frozen=True)
class _Accesses:
    """Reads and writes of one variable, in the order in which they happened."""

    activation: Ints
    port: Ints
    writes: Bools
    incremental: Bools
    """Of a write: whether the new value depends on the old one."""
    bad: Bools
    """Of a read: whether what it read is not finite."""

    def places(self, chosen: Ints) -> tuple[Ints, Ints]:
        """Activation and port of some of them."""
        return self.activation[chosen], self.port[chosen]

    def columns(self) -> tuple[Ints, Ints, Bools, Bools, Bools]:
        """All of it."""
        return self.activation, self.port, self.writes, self.incremental, self.bad


@dataclass(frozen=True)
class Variables:
    """Who reads and writes which variable."""

    values: Values
    _by_block: dict[int, Ints] = field(default_factory=dict)

    @cached_property
    def readers(self) -> Mapping[int, list[int]]:
        """The sites that read each variable."""
        return self._sites("reads")

    @cached_property
    def writers(self) -> Mapping[int, list[int]]:
        """The sites that write each variable."""
        return self._sites("writes")

    @cached_property
    def reading(self) -> Bools:
        """For each site whether it reads a variable."""
        result = np.zeros(len(self.values.ports.first), dtype=np.bool_)
        result[[site for sites in self.readers.values() for site in sites]] = True
        return result

    def runs(self, site: int) -> Ints:
        """The activations in which a site could run."""
        block = int(self.values.ports.block[site])
        if block not in self._by_block:
            starts, order = self._blocks
            self._by_block[block] = order[starts[block] : starts[block + 1]]
        return self._by_block[block]

    def steps_back(self, variable: int) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """Where bad reads, and writes that build on the old value, have their value from.

        Returns:
            Activation and port of each read or write, and activation and port of what came before it.
        """
        accesses = self._accesses(variable)
        count = len(accesses.writes)
        position = np.arange(count)
        before = position - 1
        last_write = np.maximum.accumulate(np.where(accesses.writes, position, NONE)) if count else position
        bad_reads = np.flatnonzero(~accesses.writes & accesses.bad)
        from_write = bad_reads[last_write[bad_reads] != NONE]
        building = np.flatnonzero(accesses.writes & accesses.incremental)
        building = building[building > 0]
        same = np.concatenate([bad_reads[bad_reads > 0], building])
        # A read just before tells what the variable held; if that was finite, nothing bad came from it.
        same = same[~accesses.writes[before[same]] | accesses.writes[same]]
        later = np.concatenate([from_write, same])
        earlier = np.concatenate([last_write[from_write], before[same]])
        return accesses.places(later), accesses.places(earlier)

    def _sites(self, name: str) -> dict[int, list[int]]:
        result: dict[int, list[int]] = {}
        for site in self.values.program.sites.values():
            for variable in getattr(site, name):
                result.setdefault(variable, []).append(site.site)
        return result

    @cached_property
    def _blocks(self) -> tuple[Ints, Ints]:
        block = self.values.activations.block
        order = np.argsort(block, kind="stable")
        blocks = len(self.values.ports.block_size)
        return np.searchsorted(block[order], np.arange(blocks + 1)), order

    def _accesses(self, variable: int) -> _Accesses:
        parts = [self._reads(site) for site in self.readers.get(variable, ())]
        parts += [self._writes(site) for site in self.writers.get(variable, ())]
        columns = [np.concatenate(column) for column in zip(*(part.columns() for part in parts), strict=True)]
        order = in_program_order(self.values, columns[0], self.values.ports.site[columns[1]])
        return _Accesses(*(column[order] for column in columns))

    def _reads(self, site: int) -> _Accesses:
        values = self.values
        runs = self.runs(site)
        port = np.full(len(runs), values.ports.first[site], dtype=np.int64)
        event = values.event(runs, port)
        seen = event != NONE
        runs, port, event = runs[seen], port[seen], event[seen].astype(np.int64)
        no = np.zeros(len(runs), dtype=np.bool_)
        return _Accesses(runs, port, no, no, values.events.bad[event])

    def _writes(self, site: int) -> _Accesses:
        values = self.values
        runs = self.runs(site)
        port = np.full(len(runs), values.ports.first[site], dtype=np.int64)
        incremental = values.program.sites[site].op_type.startswith(INCREMENTAL_WRITES)
        yes = np.ones(len(runs), dtype=np.bool_)
        return _Accesses(runs, port, yes, yes & incremental, ~yes)
