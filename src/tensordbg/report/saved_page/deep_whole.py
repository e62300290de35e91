"""A whole graph for a saved page: with more boxes open than at first, so that the page can open and close them alone.

What flows in a box does not depend on what else is open. So a graph with its boxes open holds all that it would be with
some of them closed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tensordbg.analysis.view.requests import Whole
from tensordbg.report.saved_page.shelf import to_json
from tensordbg.wire.view.whole_graph import WholeView


@dataclass(frozen=True)
class DeepWhole:
    """A whole graph, as deep as it has room."""

    view: WholeView
    open: tuple[str, ...]
    """The boxes that are open where nobody opened or closed any."""


def deep_whole(ask: Callable[[Whole], WholeView], asked: Whole, size: int) -> DeepWhole:
    """Opens the boxes of a graph, level by level.

    Args:
        ask: Answers what is asked.
        asked: Which graph.
        size: Bytes of JSON that it may have; as it is at first it may have more.

    Raises:
        UsageError: If there is no such graph.
    """
    view = ask(asked)
    known = {box.box: box.opened for box in view.boxes}
    while any(not box.opened for box in view.boxes) and not view.unopened:
        deeper = ask(replace(asked, opened=tuple(known)))
        if len(to_json(deeper)) > size:
            break
        view = deeper
        # What is seen for the first time was not asked to be open.
        known |= {box.box: box.opened for box in view.boxes if box.box not in known}
    return DeepWhole(view, tuple(box for box, is_open in known.items() if is_open))
