"""A graph as boxes in boxes: each holds operations and other boxes, and never more of them than can be looked at.

Name scopes and layers give the boxes; where they leave too many things side by side, arguments are put into one box,
and the rest into boxes by the line that made them, or by their order alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from math import ceil

from tensordbg.analysis.program.call_tree import CallTree, Instance
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.view.graphs.box_paths import BoxKind, BoxName, BoxPaths
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind

MOST_INSIDE = 60
"""Things side by side in one box."""
_PIECES = 40
"""So many boxes hold what is divided by its order alone."""
_PIECE = 30
"""So many things at least are in each of them."""
_SHORTEST = 3
"""Fewer operations that follow one another are not put into a box of their own."""
_MOST_ARGUMENTS = 8
"""More arguments than that have a box of their own."""
_DULL = frozenset({Kind.ARGUMENT, Kind.CONSTANT, Kind.NOTHING, Kind.READ})
_LEAST = {BoxKind.SCOPE: 2, BoxKind.LAYER: 2}
"""A box with fewer operations tells less than it takes room."""
_LEAST_OF_ONE = 5
"""The same of the scope of one operation, `Add` with `Add/y`."""


@dataclass
class Box:
    """One box."""

    name: BoxName
    parent: str
    """The box that it lies in, empty at the top."""
    inside: list[str] = field(default_factory=list)
    """Boxes and keys of operations, in the order of the graph."""
    operations: int = 0
    """How many are in it, in boxes inside too."""


@dataclass(frozen=True)
class BoxTree:
    """All boxes of a graph. An opened call is a box and not an operation inside of one."""

    tree: CallTree
    boxes: Mapping[str, Box]
    """The outermost, the whole function, is named by the empty string."""
    parent: Mapping[str, str]
    """The box that each operation and each box lies in."""

    def around(self, thing: str) -> Iterator[str]:
        """The boxes around an operation or a box, the innermost first."""
        while thing:
            thing = self.parent[thing]
            yield thing

    def operations_in(self, box: str) -> list[str]:
        """The operations in a box, and in boxes inside; with itself, where it is a call."""
        found, left = [], [box]
        while left:
            name = left.pop()
            if name not in self.boxes:
                found.append(name)
                continue
            found += [name] if name in self.tree.instances else []
            left += self.boxes[name].inside
        return found


def box_tree(tree: CallTree, layer_of: Callable[[Site], str], line_of: Callable[[Site], str]) -> BoxTree:
    """Puts a graph all of whose calls are opened into boxes.

    Args:
        tree: The graph.
        layer_of: The path of a site's layer, empty outside.
        line_of: The line of the user's own code that made a site, empty where there is none.
    """
    boxes = _drawn_around(tree, BoxPaths(tree, layer_of))
    _simplify(boxes, "")
    for box in list(boxes):
        _Divided(tree, boxes, line_of).divide(box)
    parent = {thing: name for name, box in boxes.items() for thing in box.inside}
    for name, above in parent.items():
        if name in boxes:
            boxes[name].parent = above
    _count(boxes, "")
    return BoxTree(tree, boxes, parent)


def _drawn_around(tree: CallTree, paths: BoxPaths) -> dict[str, Box]:
    boxes = {"": Box(BoxName("", BoxKind.CALL, tree.function.name), "")}
    inside: dict[str, dict[str, None]] = {"": {}}
    placed = [(instance, paths.around(instance)) for instance in tree.instances.values()]
    for _, names in placed:
        _add(boxes, inside, names)
    opened = tree.opened
    for instance, names in placed:
        around = names[-1].box if names else ""
        if instance.key in opened:
            _add(boxes, inside, (*names, paths.call(instance)))
        else:
            own = _own_scope(instance, around)
            inside[own if own in boxes else around][instance.key] = None
    order = {key: position for position, key in enumerate(tree.instances)}
    for name, box in boxes.items():
        box.inside = list(inside[name])
    _sort(boxes, order)
    return boxes


def _own_scope(instance: Instance, around: str) -> str:
    """The box of what has an operation's name in front: `a/Add/` of `a/Add`, which holds `a/Add/y`."""
    base = around if around.endswith("/") else "".join(f"{part}/" for part in (instance.caller, instance.part) if part)
    return f"{base}{instance.site.name.rpartition('/')[2]}/"


def _add(boxes: dict[str, Box], inside: dict[str, dict[str, None]], names: tuple[BoxName, ...]) -> None:
    parent = ""
    for name in names:
        if name.box not in boxes:
            boxes[name.box] = Box(name, parent)
            inside[name.box] = {}
            inside[parent][name.box] = None
        parent = name.box


def _sort(boxes: dict[str, Box], order: Mapping[str, int]) -> None:
    """Puts what is in each box into the order of the graph; a box stands where its first operation does."""
    first: dict[str, int] = {}

    def position(thing: str) -> int:
        if thing not in boxes:
            return order[thing]
        if thing not in first:
            first[thing] = min((position(each) for each in boxes[thing].inside), default=order.get(thing, 0))
        return first[thing]

    for box in boxes.values():
        box.inside.sort(key=position)


def _count(boxes: Mapping[str, Box], name: str) -> int:
    """Counts the operations; an opened call is one itself."""
    box = boxes[name]
    box.operations = sum(_count(boxes, each) if each in boxes else 1 for each in box.inside)
    box.operations += box.name.kind is BoxKind.CALL and bool(name)
    return box.operations


def _simplify(boxes: dict[str, Box], name: str) -> None:
    """Leaves out the boxes in a box that tell nothing, and joins those that hold one box alone."""
    box = boxes[name]
    found: list[str] = []
    for each in box.inside:
        if each not in boxes:
            found.append(each)
            continue
        _simplify(boxes, each)
        found += _kept(boxes, each)
    only = boxes.get(found[0]) if len(found) == 1 else None
    if only is not None and only.name.kind is BoxKind.SCOPE and box.name.kind in (BoxKind.CALL, BoxKind.PART):
        # The scope that the body of a loop has all its operations in.
        del boxes[only.name.box]
        found = [inner for each in only.inside for inner in _same_scope(boxes, each, only.name.label)]
    box.inside = found


def _same_scope(boxes: dict[str, Box], name: str, label: str) -> list[str]:
    """What is in a scope of this name, which the counters of a loop have once more; else the thing itself."""
    box = boxes.get(name)
    if box is None or box.name.kind is not BoxKind.SCOPE or box.name.label != label:
        return [name]
    del boxes[name]
    return box.inside


def _kept(boxes: dict[str, Box], name: str) -> list[str]:
    """What takes the place of a box: itself, what is in it, or the only box in it."""
    box = boxes[name]
    least = _LEAST.get(box.name.kind, 0)
    if least and (name.removesuffix("/") in boxes or any(f"{each}/" == name for each in box.inside)):
        least = _LEAST_OF_ONE
    if _count(boxes, name) < least:
        del boxes[name]
        return box.inside
    only = boxes.get(box.inside[0]) if len(box.inside) == 1 else None
    if only is not None and {box.name.kind, only.name.kind} <= set(_LEAST):
        only.name = BoxName(only.name.box, only.name.kind, f"{box.name.label}/{only.name.label}")
        del boxes[name]
        return [only.name.box]
    return [name]


@dataclass(frozen=True)
class _Divided:
    """Divides boxes that hold too much."""

    tree: CallTree
    boxes: dict[str, Box]
    line_of: Callable[[Site], str]

    def divide(self, name: str) -> None:
        """Puts arguments into a box, and the rest where there is too much of it."""
        box = self.boxes[name]
        arguments = [each for each in box.inside if self._is_argument(each)]
        if len(arguments) > _MOST_ARGUMENTS and len(arguments) < len(box.inside):
            rest = [each for each in box.inside if not self._is_argument(each)]
            box.inside = [self._boxed(name, BoxKind.ARGUMENTS, "arguments", arguments), *rest]
        if len(box.inside) > MOST_INSIDE:
            box.inside = self._by_runs(name) or self._by_order(name)

    def _is_argument(self, thing: str) -> bool:
        return thing not in self.boxes and self._site(thing).argument != NONE

    def _by_runs(self, name: str) -> list[str]:
        """Operations that follow one another, of one line where that tells anything, each run in a box of its own.

        Boxes stay as they are. Nothing where that leaves too much, or no more than one box.
        """
        things = self.boxes[name].inside
        lines = {line for each in things if (line := self._line(each))}
        runs = [(key, list(run)) for key, run in groupby(things, lambda each: self._run(each, len(lines)))]
        if len(runs) < 2 or sum(1 if key else len(run) for key, run in runs) > MOST_INSIDE:
            return []
        found: list[str] = []
        for key, run in runs:
            if not key or len(run) < _SHORTEST:
                found += run
            else:
                kind = BoxKind.LINE if len(lines) > 1 and key in lines else BoxKind.SOME
                found.append(self._boxed(name, kind, key if kind is BoxKind.LINE else self._ends(run), run))
        return found if len(found) <= MOST_INSIDE else []

    def _run(self, thing: str, lines: int) -> str:
        """What things that follow one another must have in common to be put into one box; empty for a box."""
        if thing in self.boxes:
            return ""
        return (self._line(thing) if lines > 1 else "") or "no line"

    def _by_order(self, name: str) -> list[str]:
        things = self.boxes[name].inside
        size = max(_PIECE, ceil(len(things) / _PIECES))
        pieces = [things[begin : begin + size] for begin in range(0, len(things), size)]
        return [self._boxed(name, BoxKind.SOME, self._ends(piece), piece) for piece in pieces]

    def _boxed(self, parent: str, kind: BoxKind, label: str, things: list[str]) -> str:
        box = f"{parent}#{things[0].removeprefix(parent)}" if kind is not BoxKind.ARGUMENTS else f"{parent}#arguments"
        self.boxes[box] = Box(BoxName(box, kind, label), parent, things)
        if len(things) > MOST_INSIDE:
            self.boxes[box].inside = self._by_order(box)
        return box

    def _line(self, thing: str) -> str:
        return "" if thing in self.boxes else self.line_of(self._site(thing))

    def _ends(self, things: list[str]) -> str:
        """The first and the last of some things, but for constants and the like, whose names tell nothing."""
        telling = [each for each in things if each in self.boxes or not _is_dull(self._site(each))] or things
        return " … ".join(dict.fromkeys(self._short(each) for each in (telling[0], telling[-1])))

    def _short(self, thing: str) -> str:
        return self.boxes[thing].name.label if thing in self.boxes else self._site(thing).name.rpartition("/")[2]

    def _site(self, key: str) -> Site:
        return self.tree.instances[key].site


def _is_dull(site: Site) -> bool:
    return operation_of(site).kind in _DULL
