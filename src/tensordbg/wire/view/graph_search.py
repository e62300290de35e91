"""Results of a search in the graph of a function, for the page."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.view.graphs.search import FoundInGraph


@dataclass(frozen=True)
class FoundThingView:
    """An operation or a box of a function's graph."""

    thing: str
    """Node or box, as the whole graph names it."""
    title: str
    kind: str
    """The type of an operation; of a box `call`, `layer`, `scope`..."""
    box: bool
    """Whether it is a box."""
    around: tuple[str, ...]
    """The boxes around it, the innermost first."""


@dataclass(frozen=True)
class FoundInGraphView:
    """The things that fit a text, those that fit best first."""

    total: int
    """How many there are; `things` may be fewer."""
    things: tuple[FoundThingView, ...]


def found_view(found: FoundInGraph) -> FoundInGraphView:
    """The view of what a search found."""
    things = (FoundThingView(each.thing, each.title, each.kind, each.box, each.around) for each in found.things)
    return FoundInGraphView(found.total, tuple(things))
