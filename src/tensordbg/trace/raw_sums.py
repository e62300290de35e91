"""The sums of a trace of which not all is sealed, or which an older version sealed: made when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tensordbg.model import Frame, Site, Variable
from tensordbg.trace.program.catalog import Catalog
from tensordbg.trace.sealed.snapshot import Snapshot
from tensordbg.trace.sums.by_step import StepSums
from tensordbg.trace.sums.totals import EXECUTION_COLUMNS, TENSOR_COLUMNS, Summing, Sums

_PIECE = 2**20


class Tables(Protocol):
    """The parts of a reader that sums are made from."""

    @property
    def tensor_count(self) -> int:
        """How many tensor events there are."""

    def tensors(self, begin: int, end: int, columns: Sequence[str]) -> Any:
        """Columns of a slice of the tensor events."""

    def table(self, name: str, columns: Sequence[str]) -> Any:
        """Columns of another table."""

    def sites(self) -> Mapping[int, Site]:
        """All sites by number."""

    def stacks(self) -> Mapping[int, tuple[Frame, ...]]:
        """All stacks by number."""

    def variables(self) -> Mapping[int, Variable]:
        """All variables by number."""


def sums_of(reader: Tables, snapshot: Snapshot) -> Sums:
    """The sums over all events that a snapshot shows; of those that are sealed they are known, as a rule."""
    manifest = snapshot.manifest
    known = manifest.sums
    if known is not None and manifest.complete:
        return known
    summing = Summing(_described(reader), known or Sums())
    _add_tensors(summing, reader, 0 if known is None else sum(part.rows for part in manifest.tensors))
    if known is None:
        summing.add_executions(reader.table("executions", EXECUTION_COLUMNS))
    else:
        for segment in snapshot.events.segments:
            summing.add_executions(segment.executions.to_table())
    return summing.sums


def step_sums_of(reader: Tables) -> StepSums:
    """The sums of each step over all events of a trace, for where an older version has sealed it without them."""
    summing = Summing(_described(reader), Sums())
    _add_tensors(summing, reader, 0)
    return summing.sums.by_step or StepSums()


def _described(reader: Tables) -> Catalog:
    return Catalog(sites=reader.sites(), stacks=reader.stacks(), variables=reader.variables())


def _add_tensors(summing: Summing, reader: Tables, begin: int) -> None:
    for first in range(begin, reader.tensor_count, _PIECE):
        summing.add_tensors(reader.tensors(first, first + _PIECE, TENSOR_COLUMNS))
