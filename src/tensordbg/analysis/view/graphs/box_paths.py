"""Which boxes stand around an operation of a graph: calls and their parts, layers, and name scopes below them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from tensordbg.analysis.program.call_tree import CallTree, Instance
from tensordbg.analysis.program.function_titles import function_title
from tensordbg.model import CallKind, Site

_DEEPEST = 24
"""A name with more parts has its last ones in one box."""


class BoxKind(Enum):
    """The kinds of boxes, by what they are drawn around."""

    CALL = "call"
    PART = "part"
    """The condition or the body of a loop, a branch."""
    LAYER = "layer"
    SCOPE = "scope"
    ARGUMENTS = "arguments"
    LINE = "line"
    """Operations that follow one another and were made by one line."""
    SOME = "some"
    """Operations that follow one another and have nothing else in common."""


@dataclass(frozen=True)
class BoxName:
    """A box without what is in it."""

    box: str
    """Unique in the graph: a call has the key of its operation, a name scope ends with a slash."""
    kind: BoxKind
    label: str


class BoxPaths:
    """The boxes around the operations of one graph, all of whose calls are opened."""

    def __init__(self, tree: CallTree, layer_of: Callable[[Site], str]) -> None:
        """Nothing is looked up yet.

        Args:
            tree: The graph.
            layer_of: The path of a site's layer, empty outside.
        """
        self._tree = tree
        self._layer_of = layer_of
        self._known: dict[tuple[str, str, str, str], tuple[BoxName, ...]] = {}
        self._calls: dict[tuple[str, str], tuple[BoxName, ...]] = {("", ""): ()}

    def around(self, instance: Instance) -> tuple[BoxName, ...]:
        """The boxes around an operation, the outermost first; an opened call itself is no box around itself."""
        scope, layer = instance.site.name.rpartition("/")[0], self._layer_of(instance.site)
        key = (instance.caller, instance.part, layer, scope)
        if key not in self._known:
            self._known[key] = (*self._around_call(instance), *_inside(instance, layer, scope))
        return self._known[key]

    def call(self, instance: Instance) -> BoxName:
        """The box of an opened call."""
        return BoxName(instance.key, BoxKind.CALL, self._label(instance))

    def _around_call(self, instance: Instance) -> tuple[BoxName, ...]:
        """The boxes of the calls and parts that it stands in, with those around them."""
        key = (instance.caller, instance.part)
        if key not in self._calls:
            call = self._tree.instances[instance.caller]
            boxes = (*self.around(call), self.call(call))
            part = (BoxName(f"{call.key}:{instance.part}", BoxKind.PART, instance.part),) if instance.part else ()
            self._calls[key] = (*boxes, *part)
        return self._calls[key]

    def _label(self, call: Instance) -> str:
        called = next((each.name for each in self._tree.program.called_by(call.site) if each is not None), "")
        if called and call.site.call is CallKind.CALL:
            return function_title(called)
        return call.site.name.rpartition("/")[2]


def _inside(instance: Instance, layer: str, scope: str) -> tuple[BoxName, ...]:
    """Layers and name scopes inside the call."""
    scopes, layers = scope.split("/"), [name for name in layer.split("/") if name]
    below = scopes[len(layers) :] if _same(layers, scopes) else []
    names = [name for name in (*layers, *below) if name][:_DEEPEST]
    box = "".join(f"{part}/" for part in (instance.caller, instance.part) if part)
    found: list[BoxName] = []
    for count, name in enumerate(names):
        box += f"{name}/"
        found.append(BoxName(box, BoxKind.LAYER if count < len(layers) else BoxKind.SCOPE, name))
    return tuple(found)


def _same(layers: list[str], scopes: list[str]) -> bool:
    """Whether scopes are those of layers: Keras makes one of each layer's name, mostly with a number behind."""
    return len(scopes) >= len(layers) and all(
        re.fullmatch(rf"{re.escape(layer)}(_\d+)*", scope) for layer, scope in zip(layers, scopes, strict=False)
    )
