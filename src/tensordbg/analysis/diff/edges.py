"""Which compared value was made from which: the data flow, seen through all that is not compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.columns.spread import spread
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait

_ROUNDS = 64
"""So many operations without a compared value are walked through between two values."""


@dataclass(frozen=True)
class Edges:
    """Pairs of values by row, each once."""

    child: Ints
    parent: Ints
    count: int
    """Number of values."""

    @cached_property
    def parents(self) -> Neighbours:
        """For each value those that it was made from."""
        return Neighbours(self.child, self.parent, self.count)

    @cached_property
    def children(self) -> Neighbours:
        """For each value those that were made from it."""
        return Neighbours(self.parent, self.child, self.count)

    @cached_property
    def made(self) -> Bools:
        """Whether each value was made from any."""
        return self.has_parent(np.ones(self.count, dtype=np.bool_))

    def has_parent(self, marks: Bools) -> Bools:
        """Whether each value was made from any that is marked."""
        result: Bools = np.bincount(self.child[marks[self.parent]], minlength=self.count) > 0
        return result

    def has_child(self, marks: Bools) -> Bools:
        """Whether of each value any was made that is marked."""
        result: Bools = np.bincount(self.parent[marks[self.child]], minlength=self.count) > 0
        return result

    def of(self, chosen: Bools) -> Edges:
        """Returns some of the pairs."""
        return Edges(self.child[chosen], self.parent[chosen], self.count)

    def among(self, kept: Bools) -> Edges:
        """Returns the pairs of which both values are kept, by the rows that these then have."""
        row = np.cumsum(kept) - 1
        chosen = kept[self.child] & kept[self.parent]
        return Edges(row[self.child[chosen]], row[self.parent[chosen]], int(kept.sum()))

    def spread(self, marks: Bools) -> Bools:
        """Marks, besides what is marked, all that is made from it."""
        if not marks.any():
            return marks
        new = self.of(~marks[self.child])  # what leads to marked values marks nothing more
        result: Bools = spread(marks.astype(np.int64), new.parent, new.child, np.arange(self.count)) > 0
        return result

    def spread_back(self, marks: Bools) -> Bools:
        """Marks, besides what is marked, all that it is made from."""
        if not marks.any():
            return marks
        new, rank = self.of(~marks[self.parent]), np.arange(self.count, 0, -1)
        result: Bools = spread(marks.astype(np.int64), new.child, new.parent, rank) > 0
        return result


class Neighbours:
    """For each value some others, by row."""

    def __init__(self, key: Ints, value: Ints, count: int) -> None:
        """Groups the values of pairs by their keys."""
        order = np.argsort(key, kind="stable")
        self._ends: list[int] = np.searchsorted(key[order], np.arange(count + 1)).tolist()
        self._listed: list[int] = value[order].tolist()

    def __getitem__(self, row: int) -> tuple[int, ...]:
        return tuple(self._listed[self._ends[row] : self._ends[row + 1]])


def reached(start: int, around: Callable[[int], Iterable[int]], most: int) -> Iterator[int]:
    """Walks from a value to those around it and on from these, the nearest first, about so many at most.

    Args:
        start: The value that comes first.
        around: Gives for a value those to go on to.
        most: From here on no further value is gone on from.
    """
    found, position = [start], 0
    seen = {start}
    yield start
    while position < len(found) < most:
        for each in around(found[position]):
            if each not in seen:
                seen.add(each)
                found.append(each)
                yield each
        position += 1


def find_edges(values: Values, event: Ints) -> Edges:
    """Finds from which compared values each was made.

    Args:
        values: Where each value lies.
        event: The events of the compared values, ascending.
    """
    flow = Flow(values, values.ports.carrying)
    row_of = np.full(len(values.events), NONE, dtype=np.int64)
    row_of[event] = np.arange(len(event))
    step = flow.sources(values.invocation[event].astype(np.int64), values.port[event].astype(np.int64))
    child, invocation, port = step.of, step.invocation, step.port
    seen = np.empty(0, dtype=np.int64)
    found: list[Ints] = [np.empty((2, 0), dtype=np.int64)]
    for _ in range(_ROUNDS):
        known = values.event(invocation, port)
        row = np.where(known == NONE, NONE, row_of[known])
        found.append(np.stack([child[row != NONE], row[row != NONE]]))
        rest = np.flatnonzero(row == NONE)
        keys, position = np.unique(mixed(child[rest], invocation[rest], port[rest]), return_index=True)
        new = ~np.isin(keys, seen)
        seen = np.concatenate([seen, keys[new]])
        rest = rest[position[new]]
        if not len(rest):
            break
        step = flow.sources(invocation[rest], port[rest])
        child, invocation, port = child[rest[step.of]], step.invocation, step.port
    pairs = _once(np.concatenate(found, axis=1), len(event))
    pairs = pairs[:, pairs[0] != pairs[1]]
    pairs = _past_shapes(pairs, _by_shape(values)[values.events.site[event]], len(event))
    return Edges(pairs[0], pairs[1], len(event))


def _once(pairs: Ints, count: int) -> Ints:
    """Each pair once, in order."""
    key = np.sort(pairs[0] * np.int64(max(count, 1)) + pairs[1])
    key = key[np.diff(key, prepend=-1) > 0]
    return np.stack(np.divmod(key, max(count, 1)))


def _past_shapes(pairs: Ints, by_shape: Bools, count: int) -> Ints:
    """Takes what depends on a value's shape alone out from between it and what is made of that.

    The ones that the gradients of a loss begin with say nothing of it; where the gradients come back to what the other
    run has, so does the loss.
    """
    made, rest = pairs[:, by_shape[pairs[0]]], pairs[:, ~by_shape[pairs[0]]]
    order = np.argsort(made[0], kind="stable")
    first = np.searchsorted(made[0][order], rest[1])
    several = np.searchsorted(made[0][order], rest[1], side="right") - first
    owner = np.repeat(np.arange(rest.shape[1]), several)
    inner = np.arange(len(owner)) - np.repeat(np.cumsum(several) - several, several)
    beyond = np.stack([rest[0][owner], made[1][order][first[owner] + inner]])
    return _once(np.concatenate([rest, beyond], axis=1), count) if beyond.shape[1] else rest


def _by_shape(values: Values) -> Bools:
    """For each site whether its values depend on shapes alone, as the ones do that gradients begin with."""
    result = np.zeros(len(values.ports.first), dtype=np.bool_)
    for number, site in values.program.sites.items():
        result[number] = operation_of(site).has(Trait.SHAPE_ONLY)
    return result
