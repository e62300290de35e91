"""Sums over all events of a trace, kept in `sealed.json`: enough to tell one trace of a thousand from the others.

They are made while the events are sealed, so nothing needs to be read again. What is bad is told by operation, not by
event, and what variables held by a digest for some steps together, which grows to a fixed number of entries alone.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from tensordbg.model import NONE, Site
from tensordbg.operations.frameworks import framework_of_type
from tensordbg.operations.lookup import operation
from tensordbg.trace.program.catalog import Catalog
from tensordbg.trace.sums.by_step import KINDS, NO_SIZE, StepEvents, StepSums, size_of
from tensordbg.trace.sums.digests import Digests

MOST_BAD = 256
"""So many operations that went bad are told by name, the first of them."""

TENSOR_COLUMNS = (
    "event", "time_ns", "step", "site", "slot", "size", "nan", "first_bad", "negative", "zero", "min", "max", "sum",
    "sum_squares",
)  # fmt: skip
"""Columns of `tensors` that the sums are made of."""

EXECUTION_COLUMNS = ("function", "site", "step")
"""Columns of `executions` that they are made of."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class FirstBad:
    """Where an output of an operation was not finite for the first time."""

    name: int
    """A checksum of the operation's name and type: the same in all processes of a program."""
    slot: int
    step: int
    event: int
    time_ns: int


@dataclass(frozen=True)
class Sums:
    """The sums of one trace."""

    events: int = 0
    bad: int = 0
    """How many tensors held a NaN or an infinity."""
    measured: bool = False
    """Whether the health of any tensor is known."""
    steps: int = 0
    last_ns: int = 0
    """When the last tensor was computed, since 1970."""
    collectives: int = 0
    """How many runs of operations there were that all processes run together."""
    first_bad: tuple[FirstBad, ...] = ()
    """In the order of the events; at most `MOST_BAD`."""
    written: Digests = field(default_factory=Digests)
    """The values of trained variables, step by step."""
    by_step: StepSums | None = field(default_factory=StepSums)
    """The tensors of each step; None of what older versions sealed."""

    def to_json(self) -> dict[str, Any]:
        """The object that stands for it in `sealed.json`."""
        named = ("events", "bad", "measured", "steps", "last_ns", "collectives")
        return {
            **{name: getattr(self, name) for name in named},
            "first_bad": [[each.name, each.slot, each.step, each.event, each.time_ns] for each in self.first_bad],
            "written": self.written.to_json(),
            "by_step": None if self.by_step is None else self.by_step.to_json(),
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Sums:
        """The reverse of `to_json`.

        Raises:
            LookupError, TypeError, ValueError: If it is none.
        """
        return cls(
            events=int(row["events"]),
            bad=int(row["bad"]),
            measured=bool(row["measured"]),
            steps=int(row["steps"]),
            last_ns=int(row["last_ns"]),
            collectives=int(row["collectives"]),
            first_bad=tuple(FirstBad(*map(int, each)) for each in row["first_bad"][:MOST_BAD]),
            written=Digests.from_json(row["written"]),
            by_step=None if row.get("by_step") is None else StepSums.from_json(row["by_step"]),
        )


class Summing:
    """Adds tables of events to the sums of a trace."""

    def __init__(self, catalog: Catalog, sums: Sums) -> None:
        """Goes on from sums; the catalog says what the operations are."""
        self.sums = sums
        sites = catalog.sites
        most = max(sites, default=-1) + 1
        held = _sizes_held(catalog)
        self._name = _by_site(sites, most, lambda site: _name_of(site, catalog))
        self._eager = _by_site(sites, most, lambda site: int(site.function == NONE))
        self._together = _by_site(sites, most, lambda site: int(_is_collective(site)))
        self._held = _by_site(sites, most, lambda site: held.get(site.site, 0))
        self._backward = _by_site(sites, most, lambda site: int(site.backward is True))
        self._loss = _by_site(sites, most, lambda site: min(site.differentiated, default=NONE) + 1)

    def add_tensors(self, table: pa.Table) -> None:
        """Adds rows of `tensors` with at least `TENSOR_COLUMNS`."""
        if not len(table):
            return
        sums, column = self.sums, _columns(table)
        site = np.clip(column["site"], -1, len(self._name) - 1)  # the last element stands for what is not known
        bad = np.flatnonzero(column["first_bad"] != NONE)
        together = (self._together[site] > 0) & (self._eager[site] == 0) & (column["slot"] == 0)
        self.sums = replace(
            sums,
            events=sums.events + len(table),
            bad=sums.bad + len(bad),
            measured=sums.measured or table.column("first_bad").null_count < len(table),
            steps=max(sums.steps, int(column["step"].max()) + 1),
            last_ns=max(sums.last_ns, int(column["time_ns"].max())),
            collectives=sums.collectives + int(together.sum()),
            first_bad=self._first_bad(bad, site, column),
            written=self._written(table, site, column),
            by_step=None if sums.by_step is None else sums.by_step.with_events(self._events(table, site, column)),
        )

    def add_executions(self, table: pa.Table) -> None:
        """Adds rows of `executions` with at least `EXECUTION_COLUMNS`."""
        if not len(table):
            return
        site = np.clip(table.column("site").fill_null(NONE).to_numpy(), -1, len(self._name) - 1)
        eager = table.column("function").fill_null(NONE).to_numpy() == NONE
        self.sums = replace(
            self.sums,
            steps=max(self.sums.steps, int(table.column("step").fill_null(NONE).to_numpy().max()) + 1),
            collectives=self.sums.collectives + int((self._together[site][eager] > 0).sum()),
        )

    def _first_bad(self, bad: Ints, site: Ints, column: Mapping[str, Any]) -> tuple[FirstBad, ...]:
        known = self.sums.first_bad
        if not len(bad) or len(known) >= MOST_BAD:
            return known
        ports = {(each.name, each.slot) for each in known}
        rows = bad[np.sort(np.unique(self._name[site[bad]] * 64 + column["slot"][bad] % 64, return_index=True)[1])]
        found = []
        for row in rows.tolist():
            name, slot = int(self._name[site[row]]), int(column["slot"][row])
            if (name, slot) not in ports:
                ports.add((name, slot))
                numbers = (int(column[each][row]) for each in ("step", "event", "time_ns"))
                found.append(FirstBad(name, slot, *numbers))
        return (*known, *found)[:MOST_BAD]

    def _written(self, table: pa.Table, site: Ints, column: Mapping[str, Any]) -> Digests:
        """The digests with what was written to variables or read of them, as a whole."""
        rows = np.flatnonzero((self._held[site] > 0) & (self._held[site] == column["size"]) & (column["step"] >= 0))
        if not len(rows):
            return self.sums.written
        floats = [table.column(name).fill_null(math.nan).to_numpy()[rows] for name in ("min", "max", "sum")]
        words = [np.ascontiguousarray(each, dtype=np.float64).view(np.int64) for each in floats]
        counts = [column[name][rows] for name in ("negative", "zero", "nan", "slot")]
        return self.sums.written.with_values(column["step"][rows], [self._name[site[rows]], *counts, *words])

    def _events(self, table: pa.Table, site: Ints, column: Mapping[str, Any]) -> StepEvents:
        """The events with what the sums of each step are made of."""
        bad = column["first_bad"] != NONE
        measured = table.column("first_bad").is_valid().to_numpy()
        kind = np.where(self._backward[site] > 0, KINDS.index("gradients"), KINDS.index("values"))
        kind[(self._held[site] > 0) & (self._held[site] == column["size"])] = KINDS.index("weights")
        kind[(self._loss[site] > 0) & (self._loss[site] == column["slot"] + 1)] = KINDS.index("loss")
        size = size_of(table.column("sum_squares").fill_null(math.nan).to_numpy(), column["size"])
        size[bad | ~measured] = NO_SIZE
        return StepEvents(column["step"], column["event"], kind, size, measured, bad)


def _columns(table: pa.Table) -> dict[str, Ints]:
    whole = ("event", "time_ns", "step", "site", "slot", "size", "nan", "first_bad", "negative", "zero")
    return {name: table.column(name).fill_null(NONE).to_numpy().astype(np.int64, copy=False) for name in whole}


def _by_site(sites: Mapping[int, Site], most: int, of: Callable[[Site], int]) -> Ints:
    """A number for each site, with one element more, for those that are not known."""
    result = np.zeros(most + 1, dtype=np.int64)
    for number, site in sites.items():
        result[number] = of(site)
    return result


def _name_of(site: Site, catalog: Catalog) -> int:
    """A checksum of what an operation is called and of its line; folders may differ from machine to machine."""
    frames = catalog.stacks.get(site.stack, ())
    own = [frame for frame in frames if frame.user]
    line = (own or frames)[-1].line if frames else 0
    return zlib.crc32(f"{site.name} {site.op_type} {line}".encode())


def _is_collective(site: Site) -> bool:
    return operation(site.framework or framework_of_type(site.op_type), site.op_type).collective is not None


def _sizes_held(catalog: Catalog) -> dict[int, int]:
    """By the site, how many elements the one trained variable has that it reads or writes."""
    sizes = {}
    for site in catalog.sites.values():
        variables = {*site.reads, *site.writes}
        known = [catalog.variables[each] for each in variables if each in catalog.variables]
        if len(known) == 1 and known[0].trainable:
            sizes[site.site] = _elements(known[0].shape)
    return sizes


def _elements(shape: str) -> int:
    words = shape.strip("[]").split(",") if shape.startswith("[") else ["0"]
    numbers = [int(word) for word in words if word.strip().isdecimal()]
    return math.prod(numbers) if len(numbers) == len([word for word in words if word.strip()]) else 0
