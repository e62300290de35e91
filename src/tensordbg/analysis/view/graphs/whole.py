"""A function's graph as a whole: its boxes, of which some are open, and what flows between what is seen.

Only what is seen is described, so that a graph of many thousand operations comes as fast as a small one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from tensordbg.analysis.program.call_tree import Instance, call_tree
from tensordbg.analysis.program.function_choice import choose_function
from tensordbg.analysis.view.caching import Recent
from tensordbg.analysis.view.graphs.around_operation import GraphSource, function_of_event
from tensordbg.analysis.view.graphs.box_health import Inside, RecordedAt, recorded_at
from tensordbg.analysis.view.graphs.box_paths import BoxKind
from tensordbg.analysis.view.graphs.boxes import Box, BoxTree, box_tree
from tensordbg.analysis.view.graphs.bundles import Bundle, bundled
from tensordbg.analysis.view.graphs.handed_on import handed_on
from tensordbg.analysis.view.graphs.node_health import NodeEvents, events_at_nodes, key_of_event
from tensordbg.analysis.view.graphs.root_functions import root_functions
from tensordbg.analysis.view.graphs.wires import Wire, wires_between
from tensordbg.analysis.view.records.sites import NamedSites
from tensordbg.analysis.view.requests import Whole
from tensordbg.analysis.view.timeline.lanes import NamedExecutions
from tensordbg.model import Function, Site

MOST_SEEN = 700
"""No more boxes are opened once so much is to be seen."""
_NEARLY_ALL = 0.8
"""A box with such a part of what is around it is open by itself."""
_BY_ITSELF = frozenset({BoxKind.CALL, BoxKind.LAYER, BoxKind.SCOPE})


@dataclass(frozen=True)
class WholeFunction:
    """The parts of a function's drawing that are worked out once."""

    function: Function
    boxes: BoxTree
    wires: tuple[Wire, ...]


@dataclass(frozen=True)
class SeenBox:
    """A box that is to be seen."""

    box: Box
    opened: bool
    inside: Inside
    """What was recorded of the operations in it."""


@dataclass(frozen=True)
class WholeGraph:
    """The drawing of a function, as far as it is open."""

    whole: WholeFunction
    functions: tuple[Function, ...]
    """Those that the program called, one of which it is."""
    centre: str
    """The chosen operation, empty for none."""
    boxes: tuple[SeenBox, ...]
    """Each before what is in it; the outermost is left out."""
    operations: tuple[str, ...]
    """Keys of the operations that are not in closed boxes."""
    bundles: tuple[Bundle, ...]
    events: Mapping[str, NodeEvents]
    """By key, what was recorded of these operations, and of others that one tensor alone comes from."""
    bad: frozenset[str]
    """The operations that are not finite, in any iteration of a loop of the chosen execution; else in any execution."""
    inside: Inside
    """What was recorded of the whole function."""
    unopened: int
    """How many boxes are closed because there is too much to be seen already."""


class WholeGraphs(GraphSource, NamedExecutions, Protocol):
    """A trace that keeps the graphs that were looked at as a whole."""

    whole_functions: Recent[int, WholeFunction]


def whole_graph(opened: WholeGraphs, asked: Whole, origins: Collection[int]) -> WholeGraph | None:
    """A function with some boxes open; None where eager code is asked for, see `eager_graph`.

    Args:
        opened: The trace.
        asked: Which function, and what is open of it.
        origins: The events that the findings name as such.

    Raises:
        AbsentError: If there is no such event.
        UsageError: If there is no such function.
    """
    functions = root_functions(opened)
    function = function_asked_for(opened, asked, functions)
    if function is None:
        return None
    whole = described(opened, function)
    tree = whole.boxes.tree
    event = None if asked.function else asked.event
    centre = key_of_event(opened, event) if event is not None else ""
    centre = centre if centre in tree.instances else ""
    recorded = recorded_at(opened, tree, event, origins)
    return drawn(whole, functions, asked, centre, recorded, lambda told: events_at_nodes(opened, told, event))


def drawn(
    whole: WholeFunction,
    functions: tuple[Function, ...],
    asked: Whole,
    centre: str,
    recorded: RecordedAt,
    events_at: Callable[[Sequence[Instance]], Mapping[str, NodeEvents]],
) -> WholeGraph:
    """A graph with the boxes open that are asked for.

    Args:
        whole: The graph.
        functions: Those that the program called.
        asked: What is open of it.
        centre: The chosen operation, empty for none.
        recorded: What was recorded of all its operations.
        events_at: Gathers what was recorded at some of them.
    """
    tree = whole.boxes.tree
    seen = _Seen(whole.boxes, _open(whole.boxes, asked, centre))
    bad = handed_on(tree, whole.wires, recorded.bad_tensors, recorded.recorded)
    bundles = bundled(whole.boxes, whole.wires, seen.at, bad)
    lone = [bundle.tensors[0][0] for bundle in bundles if len(bundle.tensors) == 1]
    told = [tree.instances[key] for key in dict.fromkeys([*seen.operations, *lone])]
    return WholeGraph(
        whole=whole,
        functions=functions,
        centre=centre,
        boxes=_seen_boxes(whole.boxes, seen, recorded),
        operations=tuple(seen.operations),
        bundles=bundles,
        events=events_at(told),
        bad=recorded.bad,
        inside=recorded.inside(tree.instances),
        unopened=seen.unopened,
    )


def function_asked_for(opened: GraphSource, asked: Whole, functions: tuple[Function, ...]) -> Function | None:
    """The function that is meant, of those that the program called by default; None for eager code.

    That is an event of eager code, or no event of a program that called no function.
    """
    if asked.function:
        return choose_function(opened, opened.program, asked.function).function
    if asked.event is not None:
        opened.check_event(asked.event)
        return function_of_event(opened, asked.event)
    return functions[0] if functions else None


def described(opened: WholeGraphs, function: Function) -> WholeFunction:
    """A function with its boxes; those of the last functions are kept."""
    return opened.whole_functions.get(function.function, lambda: _described(opened, function))


def _described(opened: NamedSites, function: Function) -> WholeFunction:
    tree = call_tree(opened.program, function)
    boxes = box_tree(tree, lambda site: opened.site(site.site).layer, lambda site: source_line(opened, site))
    return WholeFunction(function, boxes, tuple(wires_between(tree)))


def source_line(opened: NamedSites, site: Site) -> str:
    """The line of the user's own code that made a site, `train.py:12`; empty where there is none."""
    source = opened.site(site.site).source
    return f"{source.file.replace(chr(92), '/').rpartition('/')[2]}:{source.line}" if source else ""


def _open(boxes: BoxTree, asked: Whole, centre: str) -> frozenset[str]:
    """The boxes that are open: chosen ones, those around the chosen operation, and those with nearly all in them."""
    around = {""} | (set(boxes.around(centre)) if centre else set())
    by_itself = {
        name
        for name, box in boxes.boxes.items()
        if box.name.kind is BoxKind.PART
        or (box.name.kind in _BY_ITSELF and box.operations >= _NEARLY_ALL * boxes.boxes[box.parent].operations)
    }
    return frozenset((around | by_itself | set(asked.opened)) - set(asked.closed) | {""})


class _Seen:
    """What is to be seen when some boxes are open."""

    def __init__(self, boxes: BoxTree, opened: Collection[str]) -> None:
        self.boxes: dict[str, bool] = {}
        """Whether each box that is to be seen is open."""
        self.operations: list[str] = []
        self.at: dict[str, str] = {"": ""}
        """What each operation and box is seen as: itself, or the closed box around it."""
        self.unopened = 0
        self._tree = boxes
        self._opened = opened
        self._count = len(boxes.boxes[""].inside)
        level = [""]
        # Level by level, so that what is left closed is deep inside.
        while level:
            level = [inner for box in level for inner in self._look_into(box)]

    def _look_into(self, box: str) -> list[str]:
        """Sees what is in an open box; gives the boxes in it that are open too."""
        found = []
        for thing in self._tree.boxes[box].inside:
            self.at[thing] = thing
            inner = self._tree.boxes.get(thing)
            if inner is None:
                self.operations.append(thing)
                continue
            wanted = thing in self._opened
            room = self._count + len(inner.inside) <= MOST_SEEN
            self._count += len(inner.inside) if wanted and room else 0
            self.boxes[thing] = wanted and room
            self.unopened += wanted and not room
            if wanted and room:
                found.append(thing)
            else:
                self._hide(thing, thing)
        return found

    def _hide(self, box: str, behind: str) -> None:
        hidden = [box]
        while hidden:
            for thing in self._tree.boxes[hidden.pop()].inside:
                self.at[thing] = behind
                if thing in self._tree.boxes:
                    hidden.append(thing)


def _seen_boxes(boxes: BoxTree, seen: _Seen, recorded: RecordedAt) -> tuple[SeenBox, ...]:
    return tuple(
        SeenBox(boxes.boxes[name], is_open, recorded.inside(boxes.operations_in(name)))
        for name, is_open in seen.boxes.items()
    )
