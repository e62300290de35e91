"""Where in the order of executions each step of a program begins, for eager code, which no function holds together.

The trace counts steps for each place by itself, so a line that runs twice in a step is ahead of the others. The steps
of the program are those of the places that run as often as most do: once in each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.events import Executions


@dataclass(frozen=True)
class Span:
    """The executions of one step, or what ran before the first."""

    step: int | None
    """None for what ran before the first step."""
    begin: int
    """Row of the first execution."""
    end: int
    """One more than the row of the last."""


def eager_spans(executions: Executions) -> tuple[Span, ...]:
    """The steps in the order in which they ran; together they hold all executions."""
    step = executions.step
    if not len(step):
        return ()
    if (np.diff(step) >= 0).all():
        begins = np.flatnonzero(np.diff(step, prepend=step[0] - 1))
        return _spans(begins, step[begins].tolist(), len(step))
    occurrence = _occurrence(executions.site)
    regular = _regular(executions.site)
    begins = np.array([rows[0] for rows in _rows_of_steps(occurrence, regular)], dtype=np.int64)
    begins = np.maximum.accumulate(begins)
    told: list[int | None] = list(range(len(begins)))
    if begins[0] > 0:
        begins, told = np.concatenate([[0], begins]), [None, *told]
    return _spans(begins, told, len(step))


def _spans(begins: Ints, steps: list[int | None], size: int) -> tuple[Span, ...]:
    ends = [*begins[1:].tolist(), size]
    found = zip(steps, begins.tolist(), ends, strict=True)
    return tuple(Span(step, begin, end) for step, begin, end in found if begin < end)


def _occurrence(site: Ints) -> Ints:
    """How often the place of each execution had run before."""
    order = np.argsort(site, kind="stable")
    first = np.flatnonzero(np.diff(site[order], prepend=site[order[0]] - 1))
    lengths = np.diff(first, append=len(site))
    found = np.empty(len(site), dtype=np.int64)
    found[order] = np.arange(len(site)) - np.repeat(first, lengths)
    return found


def _regular(site: Ints) -> Ints:
    """Rows of the places that run as often as most of those that run more than once."""
    _, place, counts = np.unique(site, return_inverse=True, return_counts=True)
    several = counts[counts > 1]
    usual = int(np.bincount(several).argmax()) if len(several) else 1
    return np.flatnonzero(counts[place] == usual)


def _rows_of_steps(occurrence: Ints, regular: Ints) -> list[Ints]:
    """The regular rows of each step."""
    of_regular = occurrence[regular]
    return [regular[of_regular == step] for step in range(int(of_regular.max()) + 1)]
