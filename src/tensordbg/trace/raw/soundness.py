"""Which records of a segment can be believed: what their numbers stand for is in the trace, and they add up.

One wrong byte makes a site number of billions. The analysis has a place in memory for each number up to the largest, so
what names something that the trace does not hold is damage: it is counted and left out. Where lines of the trace were
lost, as on a full disk, numbers near those that it holds are believed: what has them stands for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.model import NONE, Site
from tensordbg.trace.program.catalog import Catalog
from tensordbg.trace.raw.record import RecordFlag, RecordKind

Array = npt.NDArray[Any]

_MOST_STEPS = 2**53
"""Steps and iterations are fewer; they are computed with as floats, too."""

_MOST_EXECUTIONS = 2**47
"""The number of an execution shares 64 bits with a slot."""

_GRAPH_SLOTS, _EAGER_SLOTS = 64, 4096
"""So many outputs an operation may have that does not say how many. There is a place in memory for each."""

_MOST_TIME = 2**62

_NEAR = 2**16
"""Where lines were lost, so many numbers behind the last one known may be those of what they described."""


@dataclass(frozen=True)
class KnownNumbers:
    """The numbers that the trace describes."""

    slots: Array
    """For each number of a site how many outputs it may have, 0 where it is that of none."""
    paths: Array
    """For each number whether it is that of a path."""
    functions: int
    """One more than the largest number of a function."""

    @classmethod
    def of(cls, catalog: Catalog) -> KnownNumbers:
        """Those of a catalog, in which no number is out of proportion."""
        graphs = (site.function for site in catalog.sites.values())
        functions = max([*catalog.functions, *graphs], default=-1) + 1
        slots, paths = _slots(catalog.sites), _marks(catalog.paths)
        if catalog.described:
            return cls(slots, paths, functions)
        return cls(_or_near(slots, _GRAPH_SLOTS), _or_near(paths, 1), functions + _NEAR)

    def sound(self, records: Array) -> Array:
        """Which records can be believed."""
        kind, step, owner = records["kind"], records["iteration"], records["owner"]
        of_tensor, begins = kind <= RecordKind.EAGER_TENSOR, kind == RecordKind.EXECUTION_BEGIN
        called = records["flags"] & RecordFlag.FUNCTION != 0
        stepped = np.where(of_tensor, records["frame"] != 0, begins)
        sound: Array = (records["time_ns"] > -_MOST_TIME) & (records["time_ns"] < _MOST_TIME)
        sound &= ~of_tensor | (records["slot"] < _at(self.slots, records["site"]))
        sound &= ~begins | (_at(self.slots, records["site"]) > 0)
        sound &= ~of_tensor | _at(self.paths, records["path"])
        sound &= ~(begins & called) | (records["function"] < self.functions)
        sound &= ~stepped | ((step >= 0) & (step < _MOST_STEPS))
        sound &= (kind == RecordKind.GRAPH_TENSOR) | ((owner > 0) & (owner < _MOST_EXECUTIONS))
        return sound


def _slots(sites: Mapping[int, Site]) -> Array:
    """How many outputs each site may have; one line of eager code may run with more than at first."""
    most = np.zeros(max(sites, default=-1) + 1, dtype=np.int32)
    for number, site in sites.items():
        most[number] = max(_EAGER_SLOTS if site.function == NONE else _GRAPH_SLOTS, 2 * len(site.dtypes))
    return most


def _marks(known: Iterable[int]) -> Array:
    numbers = np.fromiter(known, dtype=np.int64)
    marks = np.zeros(int(numbers.max(initial=-1)) + 1, dtype=np.bool_)
    marks[numbers] = True
    return marks


def _or_near(known: Array, unknown: int) -> Array:
    """What is known of numbers, and of those that are not described the same for all."""
    behind = np.zeros(_NEAR, known.dtype)
    every = np.concatenate([known, behind])
    every[every == 0] = unknown
    return every


def _at(table: Array, wanted: Array) -> Array:
    """What a table has for some numbers; 0 for those beyond it."""
    if not len(table):
        return np.zeros(len(wanted), table.dtype)
    found: Array = table[np.minimum(wanted, len(table) - 1)] * (wanted < len(table))
    return found
