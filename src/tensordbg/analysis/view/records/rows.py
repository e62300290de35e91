"""Tensor events as rows of the page's table, fetched by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tensordbg.analysis.columns.reading import Ints, shape_of
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.program.details import health_of
from tensordbg.analysis.view.records.sites import NamedSites


@dataclass(frozen=True)
class SeenTensor(ListedTensor):
    """One tensor event as the page shows it; `source` is a line of the user's own code or nothing."""

    time_ns: int = field(kw_only=True)
    """Since 1970."""
    thread: int = field(kw_only=True)
    kept: bool = field(kw_only=True)
    """Whether its elements were kept."""
    layer: str = field(kw_only=True, default="")
    """Path of the layer that it belongs to, empty outside."""


class RowSource(NamedSites, Protocol):
    """A trace that the rows of events are made from."""

    def dictionaries(self, events: Ints) -> Iterable[tuple[int, dict[str, Any]]]:
        """The columns of some events, each with its position in `events`."""

    def text(self, row: dict[str, Any]) -> str:
        """The first elements of a row with strings."""


class EventRows(Protocol):
    """A trace that tells events as rows."""

    def rows(self, events: Sequence[int] | Ints) -> list[SeenTensor]:
        """The rows of some events, in this order."""

    def row(self, event: int) -> SeenTensor:
        """The row of one event; an `AbsentError` if there is none."""

    def check_event(self, event: int) -> None:
        """Whether there is such an event; an `AbsentError` if there is none."""


def seen_tensors(opened: RowSource, events: Ints) -> list[SeenTensor]:
    """The rows of some events, in this order; all must be there."""
    rows: dict[int, SeenTensor] = {place: _seen(opened, row) for place, row in opened.dictionaries(events)}
    return [rows[place] for place in range(len(events))]


def _seen(opened: RowSource, row: dict[str, Any]) -> SeenTensor:
    names = opened.site(row["site"])
    return SeenTensor(
        event=row["event"],
        tensor=f"{names.site.name}:{row['slot']}",
        op_name=names.site.name,
        op_type=names.site.op_type,
        site=row["site"],
        slot=row["slot"],
        function=names.function,
        execution=row["execution"],
        step=row["step"],
        iteration=row["iteration"],
        device=row["device"] or "",
        dtype=row["dtype"] or "",
        shape=shape_of(row["shape"]),
        health=health_of(row),
        text=opened.text(row),
        path=opened.program.paths.get(row["path"], ""),
        asked=names.site.device,
        source=names.source,
        run=row["run"],
        time_ns=row["time_ns"],
        thread=row["thread"],
        kept=row["value_position"] is not None,
        layer=names.layer,
    )
