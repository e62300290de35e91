"""Questions of the page, as far as they take more than a number or a name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class EventList:
    """A list of tensor events: which, and in which order."""

    search: str = ""
    """In the language of `search.py`; empty for all events."""
    order: str = "event"
    """One of `order.SORT_KEYS`."""
    descending: bool = False


@dataclass(frozen=True)
class Window:
    """A part of the elements of a tensor."""

    slice: str = ""
    """As in NumPy, `[0, :, 3]`; empty for all, of which then at most two dimensions are shown."""
    row_offset: int = 0
    column_offset: int = 0
    rows: int = 100
    columns: int = 100


@dataclass(frozen=True)
class Centre:
    """The operation that a graph is shown around, and how far: of an event, or of a function."""

    event: int | None = None
    function: str = ""
    """Name or number; used where there is no event."""
    operation: str = ""
    """Call path and name in that function, empty for what it returns."""
    hops: int = 2
    """How many steps along the data, up and down, are shown."""
    opened: tuple[str, ...] = ()
    """Nodes of calls that are opened."""


@dataclass(frozen=True)
class Whole:
    """A function's graph as a whole, and which of its boxes are open."""

    event: int | None = None
    """Its function is shown; None for the one that matters most."""
    function: str = ""
    """Name or number of another function, empty for that of the event."""
    opened: tuple[str, ...] = ()
    """Boxes that are open besides those around the event's operation."""
    closed: tuple[str, ...] = ()
    """Boxes that are closed although they would be open by themselves."""
