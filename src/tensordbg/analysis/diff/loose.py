"""Named tensors of which nothing tells what they were made from: each is compared by itself, by its name or its values.

So are files of tensors that another program wrote. Where data flows, what differs behind the first difference
comes of it; here nothing says so, and all are told, in the order of the file.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.agreement import Agreement
from tensordbg.analysis.diff.apart import Apart, Pair, distance_of
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.wording import Explained
from tensordbg.model import NONE

_RECOGNISABLE = 0.5
"""Tensors without a common name that are farther apart are hardly meant to be the same."""

_SUGGESTION = "compare what computes this tensor in both programs; `tdbg show TRACE NAME --values` has its elements"


def loose_differences(a: Apart, b: Apart, agreement: Agreement) -> dict[Pair, Explained]:
    """Finds the tensors of a run without data flow that are not those of the other; nothing where both have one.

    A tensor that resembles nothing of the other run is none: it may be of a part that was not recorded there.
    """
    if b.side.is_loose:
        return dict(_of_b(a, b, agreement))
    return dict(_of_a(a, b, agreement)) if a.side.is_loose else {}


def _of_b(a: Apart, b: Apart, agreement: Agreement) -> Iterator[tuple[Pair, Explained]]:
    known = _by_name(a)
    for row in np.flatnonzero(~agreement.b).tolist():
        named = known.get((int(b.anchor[row]), int(b.side.numbers.step[row])), [])
        if len(named) == 1:
            same = a.side.site(named[0]).name == b.side.site(row).name
            yield _not_its_partner(
                a, b, (named[0], row), "of the same name" if same else "which is said to be the same"
            )
        elif not b.constant[row]:
            yield from _nearest(a, b, (int(agreement.near_b.row[row]), row))


def _of_a(a: Apart, b: Apart, agreement: Agreement) -> Iterator[tuple[Pair, Explained]]:
    for row in np.flatnonzero(~agreement.a & ~a.constant).tolist():
        yield from _nearest(a, b, (row, int(agreement.near_a.row[row])))


def _nearest(a: Apart, b: Apart, rows: tuple[int, int]) -> Iterator[tuple[Pair, Explained]]:
    if NONE not in rows and distance_of(a, b, *rows) < _RECOGNISABLE:
        yield _not_its_partner(a, b, rows, "which is the nearest to it")


def _by_name(apart: Apart) -> dict[tuple[int, int], list[int]]:
    """The values of what is said to correspond to something, by its number and the step."""
    found: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(apart.anchor).tolist():
        found.setdefault((int(apart.anchor[row]), int(apart.side.numbers.step[row])), []).append(row)
    return found


def _not_its_partner(a: Apart, b: Apart, rows: tuple[int, int], how: str) -> tuple[Pair, Explained]:
    distance = distance_of(a, b, *rows)
    names = a.side.site(rows[0]).name, b.side.site(rows[1]).name
    unlike = "; they are of unlike sizes, or only one is finite" if distance >= FAR else ""
    text = f"{names[1]} of B is not {names[0]} of A, {how}{unlike}"
    return Pair(*rows, distance), Explained("value", *rows, distance, None, (), text, _SUGGESTION)
