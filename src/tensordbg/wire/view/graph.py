"""The neighbourhood of an operation, for the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NodeView:
    """One operation at one place of a function's graph."""

    node: str
    """Call path and name, which is unique."""
    name: str
    op_type: str
    scope: str
    """Name scope, `model/dense`; empty at the top."""
    layer: str
    """Path of its Keras layer, empty outside."""
    health: str
    """`bad` (of the chosen execution), `bad_elsewhere` (in another one), `fine`, `unmeasured` or `unrecorded`."""
    event: int | None
    """Of its first output, in the chosen execution and iteration."""
    origin: bool
    argument: bool
    calls: tuple[str, ...]
    """The functions that it runs; such a node can be opened."""
    opened: bool
    inside: str
    """The node of the call that it stands in, empty at the top."""
    part: str
    """Which part of that call: `cond`, `body`, `then`..."""
    hidden_inputs: int
    """How many of its inputs are not in this view."""
    hidden_consumers: int
    dtypes: tuple[str, ...]
    shapes: tuple[tuple[int, ...] | None, ...]


@dataclass(frozen=True)
class EdgeView:
    """A tensor from one operation to another."""

    source: str
    slot: int
    target: str
    input: int
    bad: bool


@dataclass(frozen=True)
class GraphView:
    """Part of a function's graph around a chosen operation."""

    function: str
    centre: str
    operations: int
    """Of the whole function."""
    nodes: tuple[NodeView, ...]
    edges: tuple[EdgeView, ...]
