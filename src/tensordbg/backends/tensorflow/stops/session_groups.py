"""Finds the operations of a session's run that a line of interest made, what they take and what they give.

The graph as it runs has no order but that of its data, and lacks what TensorFlow has left out of it. So of each input
there are several nodes at which the run may be held: its own, or where a node only passes a tensor on, the one before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tensordbg.backends.tensorflow.sessions.graph import RunDescription, RunKey
from tensordbg.backends.tensorflow.stops.names_at_hand import Made, NamesAtHand
from tensordbg.model import NONE, Frame
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.lines import LineWatch

Node = tuple[str, int]
"""A node of the graph as it runs, by the name that it has in a description, and one of its outputs."""

Chain = tuple[Node, ...]
"""Where a tensor may be met, the likeliest first."""

_PASSING = frozenset({"Enter", "Identity", "PreventGradient", "RefEnter", "RefIdentity", "StopGradient"})
"""What puts out its first input whenever that is computed."""

_BRANCHING = frozenset({"Merge", "RefMerge", "RefSwitch", "Switch"})
"""What belongs to no line: it leads into branches, of which it is not said which one runs, and out of them."""

_GIVEN = frozenset({"Const", "Placeholder", "VarHandleOp", "VariableV2", "VarIsInitializedOp"})
"""What computes nothing of its inputs; it may have run long before the rest of its line."""


@dataclass(frozen=True)
class StopGroup:
    """Operations that follow each other, all made by one line that was called from the same place."""

    first: str
    last: str
    """Names of operations."""
    frames: tuple[Frame, ...]
    starts: tuple[tuple[Chain, ...], ...]
    """What each of them takes that needs no other of them."""
    takes: dict[str, Chain]
    """All that goes into them, by the name of the tensor."""
    gives: dict[str, Chain]
    """All that comes out of them."""
    own: tuple[Node, ...]
    """All that they compute."""
    named_before: dict[str, Chain]
    """What the Python names of interest stand for before them."""
    named_behind: dict[str, Chain]

    @property
    def chains(self) -> Iterator[Chain]:
        """All that there is to be known of."""
        for start in self.starts:
            yield from start
        for known in (self.takes, self.gives, self.named_before, self.named_behind):
            yield from known.values()
        yield from ((node,) for node in self.own)


@dataclass
class _Open:
    """A group that is being found."""

    key: tuple[object, ...]
    frames: tuple[Frame, ...]
    depth: int
    operations: list[Any] = field(default_factory=list)
    named: dict[str, Chain] = field(default_factory=dict)


def groups_of(description: RunDescription, key: RunKey, catalog: Catalog, lines: LineWatch) -> list[StopGroup]:
    """The groups of one kind of run, in the order in which the program made them."""
    return list(_Finder(description, key, catalog, lines).groups())


class _Finder:
    def __init__(self, description: RunDescription, key: RunKey, catalog: Catalog, lines: LineWatch) -> None:
        self._description = description
        self._catalog = catalog
        self._lines = lines
        self._fed = key.feeds
        self._feeds = set(key.feeds)
        self._fetches = set(key.fetches)
        self._names = NamesAtHand(lines.name_assigned_at, "")
        self._tensors: dict[str, Chain] = {}

    def groups(self) -> Iterator[StopGroup]:
        """See `groups_of`."""
        parts = self._description.parts
        for (name, slot), number in zip(self._fed, parts.root.arguments, strict=True):
            self._learn(number, [f"{name}:{slot}"], [((f"_arg_{name}_{slot}", 0),)])
        current: _Open | None = None
        for operation in self._description.operations:
            site = parts.site_named(operation.name)
            if site == NONE:
                continue
            if operation.type in _BRANCHING:
                self._learn_outputs(site, operation)
                continue
            frames = self._frames(site)
            depth = self._lines.depth(frames) if frames else None
            key = () if depth is None else (frames[: depth + 1], parts.part_of(operation).path, _context(operation))
            if current is not None and key != current.key:
                yield from self._closed(current)
                current = None
            if depth is not None:
                current = current or self._opened(key, frames, depth)
                current.operations.append(operation)
            self._learn_outputs(site, operation)
        if current is not None:
            yield from self._closed(current)

    def _frames(self, site: int) -> tuple[Frame, ...]:
        stack = self._catalog.site(site).stack
        return () if stack == NONE else self._catalog.frames(stack)

    def _learn_outputs(self, site: int, operation: Any) -> None:
        outputs = list(operation.outputs)
        self._learn(site, [each.name for each in outputs], [self._chain(each) for each in outputs])

    def _learn(self, site: int, names: list[str], chains: list[Chain]) -> None:
        self._tensors.update(zip(names, chains, strict=True))
        self._names.learn(Made(self._catalog.site(site), self._frames(site), tuple(names)))

    def _named(self, frames: tuple[Frame, ...], depth: int) -> dict[str, Chain]:
        wanted = sorted(self._lines.names(frames[depth]))
        return {name: self._tensors[tensor] for name, tensor in self._names.find(wanted, frames[: depth + 1])}

    def _opened(self, key: tuple[object, ...], frames: tuple[Frame, ...], depth: int) -> _Open:
        return _Open(key, frames[: depth + 1], depth, named=self._named(frames, depth))

    def _chain(self, tensor: Any) -> Chain:
        found: list[Node] = []
        while (tensor.op.name, tensor.value_index) not in self._feeds:
            found.append((tensor.op.name, tensor.value_index))
            if tensor.op.type not in _PASSING:
                return tuple(found)
            tensor = tensor.op.inputs[0]
        return (*found, (f"_arg_{tensor.op.name}_{tensor.value_index}", 0))

    def _closed(self, group: _Open) -> Iterator[StopGroup]:
        computing = [each for each in group.operations if each.type not in _GIVEN]
        if not computing:
            return
        own = {each.name for each in group.operations}
        outside = {each.name: [given for given in each.inputs if given.op.name not in own] for each in computing}
        starts = [each for each in computing if each.inputs and len(outside[each.name]) == len(each.inputs)]
        starts = starts or [each for each in computing if _begins(each, own)]
        takes = {given.name: self._chain(given) for each in computing for given in outside[each.name]}
        outputs = [tensor for each in computing for tensor in each.outputs]
        inner = {given.name for each in computing for given in each.inputs}
        fetched = [each for each in outputs if (each.op.name, each.value_index) in self._fetches]
        yield StopGroup(
            computing[0].name,
            computing[-1].name,
            group.frames,
            tuple(tuple(self._chain(given) for given in each.inputs if given.op.name not in own) for each in starts),
            takes,
            {each.name: self._chain(each)[:1] for each in outputs if each.name not in inner or each in fetched},
            tuple((each.op.name, each.value_index) for each in outputs),
            group.named,
            self._named(group.frames, group.depth),
        )


def _begins(operation: Any, own: set[str]) -> bool:
    """Whether what it takes of its own line is only given, such as a constant."""
    inner = [given.op for given in operation.inputs if given.op.name in own]
    return len(inner) < len(operation.inputs) and all(each.type in _GIVEN for each in inner)


def _context(operation: Any) -> str:
    """The branch that it lies in, as of two branches one does not run."""
    found = operation._get_control_flow_context()  # noqa: SLF001  described in internals.py
    return "" if found is None else str(found.name)
