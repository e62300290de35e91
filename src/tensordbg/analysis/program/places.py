"""Places: where in the tree of calls a function runs.

A tensor event names its call path as the runtime spells it (`while/body/_7/while/PartitionedCall`). Here a path is
read back into the chain of call operations, so that the walk knows which operation's inputs became the arguments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.description import Program
from tensordbg.model import NONE, CallKind, Function, Site

_WHILE_PART = re.compile(r"/(cond|body)(?:/_\d+)?(?=/|$)")
_IF_PART = re.compile(r"/(then|else|[a-z_]*?(\d+))(?:/_\d+)?(?=/|$)")

COND, BODY = 0, 1
"""Positions in `Site.called` of a loop."""


@dataclass(frozen=True)
class Place:
    """One function at one position of the tree of calls below an outermost function."""

    number: int
    block: int
    """What runs here: the graph of a function."""
    function: Function | None
    """The function as its caller names it; `None` where the trace does not hold it."""
    parent: int
    """The place of the caller, `NONE` for an outermost one."""
    call_site: int
    """The operation that calls it, `NONE` for an outermost one."""
    part: int
    """Position in what the operation calls: a branch, or a loop's condition and body."""
    kind: CallKind
    depth: int
    loop: int
    """The place of the body or condition of the innermost loop around it, itself included; else `NONE`."""
    root: int
    """The outermost place above it, itself if it is one."""


@dataclass
class Places:
    """All places that the events of a trace name."""

    program: Program
    all: list[Place] = field(default_factory=list)
    _roots: dict[int, int] = field(default_factory=dict)
    _children: dict[tuple[int, int, int], int] = field(default_factory=dict)
    _calls: dict[int, list[Site]] = field(default_factory=dict)

    def column(self, name: str) -> Ints:
        """One number of every place, and `NONE` at the end, so that place `NONE` has that too."""
        return np.array([*(getattr(place, name) for place in self.all), NONE], dtype=np.int64)

    def root(self, block: int) -> Place:
        """The place of a graph that runs by itself."""
        if block not in self._roots:
            number = len(self.all)
            self._roots[block] = number
            function = self.program.functions.get(block)
            self.all.append(Place(number, block, function, NONE, NONE, 0, CallKind.NONE, 0, NONE, number))
        return self.all[self._roots[block]]

    def child(self, parent: Place, call_site: Site, part: int) -> Place | None:
        """The place of a function that an operation calls; `None` where the trace does not hold it."""
        key = (parent.number, call_site.site, part)
        if key not in self._children:
            called = self.program.called_by(call_site)
            function = called[part] if part < len(called) else None
            if function is None:
                return None
            number = len(self.all)
            self._children[key] = number
            loop = number if call_site.call is CallKind.WHILE else parent.loop
            depth = parent.depth + 1
            self.all.append(
                Place(
                    number, function.graph, function, parent.number, call_site.site, part, call_site.call, depth,
                    loop, parent.root,
                )
            )  # fmt: skip
        return self.all[self._children[key]]

    def find(self, root: int, path: str, block: int) -> Place:
        """The place that a path names, for events of a graph's sites.

        A path is relative to the outermost function, or, where the runtime called a function without inlining it,
        to that function. One that cannot be read makes the graph an outermost place of its own.
        """
        if root >= 0:
            place = self.follow(root, path)
            if place is not None and place.block == block:
                return place
        if path:
            for graph in self.program.sites_of_graph:
                if graph not in (root, NONE):
                    place = self.follow(graph, path) if self._leads(graph, path, block) else None
                    if place is not None and place.block == block:
                        return place
        return self.root(block)

    def follow(self, root: int, path: str) -> Place | None:
        """The place to which a path leads from an outermost graph; None where it can't be read."""
        return self._descend(self.root(root), path)

    def _leads(self, graph: int, path: str, block: int) -> bool:
        """Whether a path may start in a graph; keeps `find` from making places all over the program."""
        names = (site.name for site in self.program.sites_of_graph[graph] if site.called)
        return graph != block and any(path == name or path.startswith(name + "/") for name in names)

    def _descend(self, place: Place, path: str) -> Place | None:
        if not path:
            return place
        for site in self._calls_in(place.block):
            if path == site.name or path.startswith(site.name + "/"):
                found = self._enter(place, site, path[len(site.name) :])
                if found is not None:
                    return found
        return None

    def _calls_in(self, graph: int) -> list[Site]:
        """The calls in a graph, those of the longest names first."""
        if graph not in self._calls:
            calls = [site for site in self.program.sites_of_graph.get(graph, ()) if site.called]
            self._calls[graph] = sorted(calls, key=lambda site: -len(site.name))
        return self._calls[graph]

    def _enter(self, place: Place, site: Site, rest: str) -> Place | None:
        part = 0
        if site.call is CallKind.WHILE:
            match = _WHILE_PART.match(rest)
            if match is None:
                return None
            part = BODY if match[1] == "body" else COND
            rest = rest[match.end() :]
        elif site.call is CallKind.IF:
            match = _IF_PART.match(rest)
            if match is None:
                return None
            part = int(match[2]) if match[2] else int(match[1] == "else")
            rest = rest[match.end() :]
        elif site.call is not CallKind.CALL:
            return None
        child = self.child(place, site, part)
        return None if child is None else self._descend(child, rest.lstrip("/"))
