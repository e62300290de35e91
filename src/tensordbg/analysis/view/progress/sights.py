"""Finds what is worth a look in a run in which nothing may be wrong: how the loss went, and the rows that stand out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.view.progress.lines import ProgressLine
from tensordbg.analysis.view.progress.measures import Cells
from tensordbg.analysis.view.progress.rows import ProgressRow

_ENOUGH = 5
"""In fewer steps than these nothing is said of how things go."""
_MANY_ZEROS = 0.5
_FAR_APART = 100.0
"""Gradients of which the largest is so many times the least are told."""
_GROWN = 3.0


@dataclass(frozen=True)
class Sight:
    """Something to look at."""

    text: str
    event: int
    measure: str
    """Which measure shows it; empty for the loss."""


@dataclass(frozen=True)
class _Ends:
    """The first and the last value of a row."""

    row: ProgressRow
    first: float
    last: float
    event: int
    steps: int


def find_sights(
    layers: Sequence[ProgressRow],
    trained: Sequence[ProgressRow],
    cells: Mapping[str, Cells],
    lines: Sequence[ProgressLine],
) -> tuple[Sight, ...]:
    """At most one of each kind."""
    found = [
        *_loss(lines),
        *_grown(_ends(layers, cells["activations"])),
        *_apart(_ends(trained, cells["gradients"])),
        *_zeros(_ends(layers, cells["zeros"])),
    ]
    return tuple(found)


def _loss(lines: Sequence[ProgressLine]) -> Iterator[Sight]:
    for line in lines[:1]:
        if line.what == "loss" and len(line.values) >= _ENOUGH:
            least = min(line.values)
            low = "" if least >= line.values[-1] else f", with a low of {number(least)} in between"
            yield Sight(
                f"the loss {line.name} went from {number(line.values[0])} to {number(line.values[-1])} between steps "
                f"{line.steps[0]:,} and {line.steps[-1]:,}{low}",
                line.events[-1],
                "",
            )


def _grown(ends: Sequence[_Ends]) -> Iterator[Sight]:
    known = [each for each in ends if each.steps >= _ENOUGH and each.first > 0 and each.last > 0]
    most = max(known, key=lambda each: abs(np.log(each.last / each.first)), default=None)
    if most is None:
        return
    ratio = most.last / most.first
    if max(ratio, 1 / ratio) >= _GROWN:
        way = f"grew to {number(ratio)} times its size" if ratio > 1 else f"shrank to 1/{number(1 / ratio)} of its size"
        yield Sight(f"what {most.row.name} puts out {way} over the steps", most.event, "activations")


def _apart(ends: Sequence[_Ends]) -> Iterator[Sight]:
    known = [each for each in ends if each.last > 0]
    if len(known) < 2:
        return
    least, most = min(known, key=lambda each: each.last), max(known, key=lambda each: each.last)
    if most.last >= _FAR_APART * least.last:
        yield Sight(
            f"the gradient of {least.row.name} is {number(least.last)} at the end, that of {most.row.name} "
            f"{number(most.last)}",
            least.event,
            "gradients",
        )


def _zeros(ends: Sequence[_Ends]) -> Iterator[Sight]:
    most = max(ends, key=lambda each: each.last, default=None)
    if most is not None and most.last >= _MANY_ZEROS:
        yield Sight(f"{most.last:.0%} of what {most.row.name} puts out at the end is zero", most.event, "zeros")


def _ends(rows: Sequence[ProgressRow], cells: Cells) -> list[_Ends]:
    order = np.lexsort((cells.step, cells.row))
    row = cells.row[order]
    begin = np.flatnonzero(np.diff(row, prepend=-1))
    end = np.append(begin[1:], len(row))[: len(begin)]
    return [
        _Ends(
            rows[int(row[first])],
            float(cells.value[order[first]]),
            float(cells.value[order[last - 1]]),
            int(cells.event[order[last - 1]]),
            int(last - first),
        )
        for first, last in zip(begin.tolist(), end.tolist(), strict=True)
    ]
