"""The neighbourhood of an eager operation: the executions that made its inputs, and those that took its results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tensordbg.analysis.events import Executions
from tensordbg.analysis.reading import Ints
from tensordbg.analysis.view.extents import events_of
from tensordbg.analysis.view.graph import MOST_NODES
from tensordbg.analysis.view.rows import SeenTensor
from tensordbg.model import NONE

if TYPE_CHECKING:
    from tensordbg.analysis.view.opened import OpenedTrace


@dataclass(frozen=True)
class ExecutionNode:
    """One execution as a node."""

    row: int
    events: tuple[SeenTensor, ...]
    """Of an eager operation its outputs; of a call what is not finite of it first, and no more than a few."""
    bad: bool
    hidden_inputs: int
    hidden_consumers: int


@dataclass(frozen=True)
class EagerPart:
    """Some executions and what flows between them."""

    centre: int
    """Row of the chosen execution."""
    nodes: tuple[ExecutionNode, ...]
    """In the order in which they ran."""
    wires: tuple[tuple[int, int, int, int], ...]
    """Row of the maker and which of its results, row of the taker and which of its inputs."""


def eager_part(opened: OpenedTrace, event: int, hops: int) -> EagerPart:
    """The executions at most so many steps away from that of an event of eager code.

    Raises:
        AbsentError: If there is no such event.
    """
    opened.check_event(event)
    executions = opened.executions
    centre = int(np.searchsorted(executions.number, opened.columns.whole("execution")[event]))
    near = {centre}
    edge = [centre]
    for _ in range(hops):
        found = [each for row in edge for each in (*_makers(executions, row), *_takers(executions, row))]
        edge = [each for each in dict.fromkeys(found) if each not in near][: MOST_NODES - len(near)]
        near.update(edge)
    rows = sorted(near)
    wires = tuple(wire for row in rows for wire in _wires_into(executions, row) if wire[0] in near)
    return EagerPart(centre, tuple(_node(opened, row, near) for row in rows), wires)


def _makers(executions: Executions, row: int) -> list[int]:
    made_by = executions.input_row[executions.input_starts[row] : executions.input_starts[row + 1]]
    return [each for each in made_by.tolist() if each != NONE]


def _takers(executions: Executions, row: int) -> list[int]:
    places: Ints = np.flatnonzero(executions.input_row == row)
    found: list[int] = (np.searchsorted(executions.input_starts, places, side="right") - 1).tolist()
    return found


def _wires_into(executions: Executions, row: int) -> list[tuple[int, int, int, int]]:
    first, last = int(executions.input_starts[row]), int(executions.input_starts[row + 1])
    return [
        (int(executions.input_row[place]), int(executions.input_slot[place]), row, place - first)
        for place in range(first, last)
    ]


def _node(opened: OpenedTrace, row: int, near: set[int]) -> ExecutionNode:
    executions = opened.executions
    events = events_of(opened, row)
    bad = opened.columns.bad()[events]
    shown = events[np.argsort(~bad, kind="stable")][:8]
    return ExecutionNode(
        row=row,
        events=tuple(opened.rows(shown)),
        bad=bool(bad.any()),
        hidden_inputs=sum(each not in near for each in _makers(executions, row)),
        hidden_consumers=sum(each not in near for each in _takers(executions, row)),
    )
