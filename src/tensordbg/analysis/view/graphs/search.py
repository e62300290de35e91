"""Finds operations and boxes of a function's whole graph by any name, and which boxes must be open to see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tensordbg.analysis.names.listing import split_slot
from tensordbg.analysis.program.python_names import noted_names
from tensordbg.analysis.view.graphs.eager_whole import EagerSteps, eager_step
from tensordbg.analysis.view.graphs.node_titles import node_title
from tensordbg.analysis.view.graphs.root_functions import root_functions
from tensordbg.analysis.view.graphs.whole import described, function_asked_for
from tensordbg.analysis.view.requests import Whole

if TYPE_CHECKING:
    from tensordbg.analysis.view.graphs.boxes import Box, BoxTree

MOST_FOUND = 40


@dataclass(frozen=True)
class FoundThing:
    """An operation or a box."""

    thing: str
    """Its key in the graph."""
    title: str
    kind: str
    """The type of an operation; of a box `call`, `layer`, `scope`..."""
    box: bool
    """Whether it is a box."""
    around: tuple[str, ...]
    """The boxes around it, the innermost first."""


@dataclass(frozen=True)
class FoundInGraph:
    """Things in a graph that fit a text, what fits best first."""

    total: int
    things: tuple[FoundThing, ...]
    """No more than `MOST_FOUND`."""


def find_in_graph(opened: EagerSteps, asked: Whole, text: str) -> FoundInGraph:
    """The operations and boxes that bear a name, end with it or hold it; case does not matter.

    Raises:
        AbsentError: If there is no such event.
        UsageError: If there is no such function.
    """
    wanted = split_slot(text.strip())[0].lower()
    function = function_asked_for(opened, asked, root_functions(opened))
    if not wanted:
        return FoundInGraph(0, ())
    boxes = (eager_step(opened, asked) if function is None else described(opened, function)).boxes
    ranked = []
    for position, (thing, names) in enumerate(_named(boxes)):
        rank = min((_rank(name.lower(), wanted) for name in names if name), default=_NONE)
        if rank < _NONE:
            ranked.append((rank, position, thing))
    ranked.sort()
    return FoundInGraph(len(ranked), tuple(_found(boxes, thing) for _, _, thing in ranked[:MOST_FOUND]))


_NONE = 4


def _rank(name: str, wanted: str) -> int:
    """How well a name fits, from 0; `_NONE` where it does not."""
    if name == wanted:
        return 0
    if name.endswith(f"/{wanted}"):
        return 1
    return 2 if name.rpartition("/")[2].startswith(wanted) else 3 if wanted in name else _NONE


def _named(boxes: BoxTree) -> Iterator[tuple[str, tuple[str, ...]]]:
    """All boxes and operations with their names; a call is a box."""
    for name, box in boxes.boxes.items():
        if name:
            yield name, (box.name.label, name.removesuffix("/"), *_called(boxes, name))
    for key, instance in boxes.tree.instances.items():
        if key not in boxes.boxes:
            told = [name for names in noted_names(instance.site) for name in names]
            yield key, (key, node_title(boxes.tree, instance), instance.site.op_type, *told)


def _called(boxes: BoxTree, name: str) -> tuple[str, ...]:
    call = boxes.tree.instances.get(name)
    return () if call is None else (call.site.op_type,)


def _found(boxes: BoxTree, thing: str) -> FoundThing:
    box: Box | None = boxes.boxes.get(thing)
    around = tuple(name for name in boxes.around(thing) if name)
    if box is not None:
        return FoundThing(thing, box.name.label, box.name.kind.value, True, around)
    instance = boxes.tree.instances[thing]
    return FoundThing(thing, node_title(boxes.tree, instance), instance.site.op_type, False, around)
