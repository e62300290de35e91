"""Who had a tensor computed: which of the functions that the program called from Python, each with a count of its own.

A model that is trained and evaluated in turn computes the same tensors in both, and each counts its steps from 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.view.records.columns import Columns
from tensordbg.model import NONE, Function

_MOST = 8
"""So many are told from one another, those that computed most; all others are one."""
OTHERS = "others"
_DEEPEST = 20


class Called(Protocol):
    """A trace that knows what its executions ran."""

    @property
    def program(self) -> Program:
        """The description of the program."""

    @property
    def executions(self) -> Executions:
        """All executions."""

    @property
    def columns(self) -> Columns:
        """Columns of all events."""


@dataclass(frozen=True)
class Callers:
    """The callers of some events."""

    titles: tuple[str, ...]
    """Empty for code that ran outside of all functions; where two functions have one name they are told apart."""
    of: Ints
    """For each event the position of its caller in `titles`."""


def callers_of(opened: Called, events: Ints) -> Callers:
    """Tells of each event who had it computed, those that come first in the first place."""
    function = _functions(opened, events)
    numbers, first, place, count = np.unique(function, return_index=True, return_inverse=True, return_counts=True)
    by_count = np.argsort(-count, kind="stable")
    order = sorted(by_count[:_MOST].tolist(), key=lambda each: int(first[each]))
    titles = _titles(opened.program, [int(numbers[each]) for each in order])
    position = np.full(len(numbers), len(order))
    position[order] = np.arange(len(order))
    return Callers((*titles, OTHERS) if len(numbers) > _MOST else titles, position[place])


def _functions(opened: Called, events: Ints) -> Ints:
    """The function that each event's execution called, `NONE` for an eager one and where none is known."""
    executions = opened.executions
    wanted = opened.columns.whole("execution")[events]
    if not len(executions):
        return np.full(len(events), NONE)
    row = np.minimum(np.searchsorted(executions.number, wanted), len(executions) - 1)
    return np.where(executions.number[row] == wanted, executions.function[row], NONE)


def _titles(program: Program, functions: Sequence[int]) -> tuple[str, ...]:
    known = [program.functions.get(number) for number in functions]
    names = ["" if each is None else function_title(each.name) for each in known]
    names = _distinct_labels(names, [each is not None and _trains(program, each) for each in known])
    seen: Counter[str] = Counter()
    titles = []
    for name in names:
        seen[name] += 1
        titles.append(name if seen[name] == 1 or not name else f"{name}, trace {seen[name]}")
    return tuple(titles)


def _distinct_labels(names: Sequence[str], trains: Sequence[bool]) -> list[str]:
    """Says of functions of one name which of them train, where some do and some don't."""
    told = []
    for name, training in zip(names, trains, strict=True):
        others = {other for each, other in zip(names, trains, strict=True) if each == name}
        told.append(f"{name}, training" if name and training and len(others) > 1 else name)
    return told


def _trains(program: Program, function: Function) -> bool:
    """Whether a function, or one that it calls, computes gradients."""
    waiting, seen = [(function, 0)], {function.graph}
    while waiting:
        here, depth = waiting.pop()
        for site in program.sites_of_graph.get(here.graph, ()):
            if site.backward:
                return True
            for inner in program.called_by(site) if depth < _DEEPEST else ():
                if inner is not None and inner.graph not in seen:
                    seen.add(inner.graph)
                    waiting.append((inner, depth + 1))
    return False
