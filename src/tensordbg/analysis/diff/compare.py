"""Compares two runs: whether their numbers agree, and where they part first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.diff.agreement import find_agreement
from tensordbg.analysis.diff.explaining import explain
from tensordbg.analysis.diff.first_difference import Apart, Pair, find_pairs
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.parameters import pair_parameters
from tensordbg.analysis.diff.regions import find_regions
from tensordbg.analysis.diff.result import ComparedTensor, Comparison, FirstDifference
from tensordbg.analysis.diff.side import Side, read_side
from tensordbg.analysis.diff.steps import align, step_errors, with_drift
from tensordbg.analysis.diff.unlike_sources import unlike_sources
from tensordbg.analysis.program.layer_path import layer_path

_SHOWN = 10
"""So many values that could not be matched are listed, and so many further differences."""

_IN_COMMON = 10
"""Runs are not the same where so many times as many values of B have no partner as have one."""


@dataclass(frozen=True)
class Asked:
    """The wishes of the user."""

    tolerance: float | None = None
    """None to learn it from the values that match."""
    step: int | None = None
    """Only this step; None for all."""


def compare(reference: TraceSource, other: TraceSource, asked: Asked) -> Comparison:
    """Compares two traces; the first is the reference."""
    return compare_sides(read_side(reference, asked.step), read_side(other, asked.step), asked)


def compare_sides(a: Side, b: Side, asked: Asked) -> Comparison:
    """Compares what was read of two traces.

    What differs in the first step is looked for before any drift of training is taken for equal: a small difference
    there would pass for drift in the next.
    """
    agreement = find_agreement(a, b, asked.tolerance)
    aligned = align(a, b, agreement)
    apart_a, apart_b = _apart(a, agreement.a, agreement.label_a), _apart(b, agreement.b, agreement.label_b)
    pairs = _of_first_pass(apart_b.side, find_pairs(apart_a, apart_b))
    if not pairs:
        agreement = with_drift(a, b, agreement, aligned)
        apart_a, apart_b = _apart(a, agreement.a, agreement.label_a), _apart(b, agreement.b, agreement.label_b)
        pairs = find_pairs(apart_a, apart_b) or unlike_sources(apart_a, apart_b)
    differences = [_told(apart_a, apart_b, pair) for pair in _of_first_step(b, pairs)]
    matched = int((agreement.b & ~b.numbers.constant).sum())
    unmatched = int((~agreement.b & ~b.numbers.constant).sum())
    return Comparison(
        status=_status(differences, matched, unmatched),
        matched=matched,
        unmatched_a=int((~agreement.a & ~a.numbers.constant).sum()),
        unmatched_b=unmatched,
        tolerance=agreement.tolerance,
        first=differences[0] if differences and matched else None,
        also=tuple(differences[1:]) if matched else (),
        parameters=pair_parameters(apart_a, apart_b, agreement.tolerance),
        steps=step_errors(aligned),
        only_a=_some(apart_a),
        only_b=_some(apart_b),
    )


def _status(differences: list[FirstDifference], matched: int, unmatched: int) -> str:
    """Tells of runs without a difference whether they have enough in common to be the same."""
    if not matched or (not differences and matched * _IN_COMMON < unmatched):
        return "not_comparable"
    return "diverged" if differences else "same"


def _of_first_pass(b: Side, pairs: list[Pair]) -> list[Pair]:
    """Those of the first step, before anything was updated."""
    first = b.numbers.step.min(initial=0)
    return [pair for pair in pairs if b.numbers.step[pair.b] == first and not b.updates[pair.b]]


def _of_first_step(b: Side, pairs: list[Pair]) -> list[Pair]:
    """Those of the step in which the runs part: what differs later may come of it."""
    steps = [int(b.numbers.step[pair.b]) for pair in pairs]
    return [pair for pair, step in zip(pairs, steps, strict=True) if step == steps[0]][: _SHOWN + 1]


def _apart(side: Side, agreed: np.ndarray, label: np.ndarray) -> Apart:
    constant = side.numbers.constant
    return Apart(side, label, constant, find_regions(side.edges, agreed, constant, side.updates))


def _told(a: Apart, b: Apart, pair: Pair) -> FirstDifference:
    found = explain(a, b, pair)
    return FirstDifference(
        kind=found.kind,
        a=tensor_at(a.side, found.row_a),
        b=tensor_at(b.side, found.row_b),
        error=found.error if found.error < FAR else None,
        added=found.added,
        difference=found.difference,
        explanation=found.explanation,
        suggestion=found.suggestion,
        only=(*(tensor_at(a.side, row) for row in pair.extra_a), *(tensor_at(b.side, row) for row in pair.extra_b)),
    )


def tensor_at(side: Side, row: int) -> ComparedTensor:
    """Tells all that is shown of a value."""
    event = int(side.numbers.event[row])
    site = side.site(row)
    line = side.locations.own(side.locations.stack(site.stack))
    return ComparedTensor(side.details.views([event])[event], layer_path(site), line)


def _some(apart: Apart) -> tuple[ComparedTensor, ...]:
    rows = np.flatnonzero((apart.label < 0) & ~apart.constant)[:_SHOWN]
    return tuple(tensor_at(apart.side, row) for row in rows.tolist())
