"""Who had a tensor computed: which of the functions that the program called from Python, each with a count of its own.

A model that is trained and evaluated in turn computes the same tensors in both, and each counts its steps from 0. Eager
code has no such functions: there it is the lines of the program from which the operation was reached.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.function_titles import function_title
from tensordbg.analysis.view.records.columns import Columns
from tensordbg.analysis.view.table.eager_lines import Line, lines_of, titles_of
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
    """Empty for code that ran outside of all functions, unless several lines have computed it there: then the lines.
    Where two functions have one name they are told apart."""
    of: Ints
    """For each event the position of its caller in `titles`."""


def callers_of(opened: Called, events: Ints) -> Callers:
    """Tells of each event who had it computed, those that come first in the first place."""
    function, lines = _with_lines(opened, events, _functions(opened, events))
    numbers, first, place, count = np.unique(function, return_index=True, return_inverse=True, return_counts=True)
    by_count = np.argsort(-count, kind="stable")
    order = sorted(by_count[:_MOST].tolist(), key=lambda each: int(first[each]))
    titles = _titles(opened.program, [int(numbers[each]) for each in order], lines)
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


def _with_lines(opened: Called, events: Ints, function: Ints) -> tuple[Ints, dict[int, tuple[Line, ...]]]:
    """The functions, and in their place numbers below `NONE` for eager code of several lines, which are told."""
    eager = np.flatnonzero(function == NONE)
    sites = opened.columns.whole("site")[events[eager]]
    of_site = {int(site): lines_of(opened.program, int(site)) for site in np.unique(sites)}
    if len(set(of_site.values())) < 2:
        return function, {}
    numbers = {lines: NONE - 1 - place for place, lines in enumerate(dict.fromkeys(of_site.values()))}
    function = function.copy()
    function[eager] = [numbers[of_site[site]] for site in sites.tolist()]
    return function, {number: lines for lines, number in numbers.items()}


def _titles(program: Program, functions: Sequence[int], lines: Mapping[int, tuple[Line, ...]]) -> tuple[str, ...]:
    of_lines = titles_of([lines[each] for each in functions if each in lines])
    known = [program.functions.get(number) for number in functions]
    names = ["" if each is None else function_title(each.name) for each in known]
    names = _distinct_labels(names, [each is not None and _trains(program, each) for each in known])
    eager = [of_lines[lines[number]] if number in lines else "" for number in functions]
    names = [line or name for line, name in zip(eager, names, strict=True)]
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
