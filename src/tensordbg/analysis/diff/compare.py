"""Compares two runs: whether their numbers agree, and where they part first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from tensordbg.analysis.columns.reading import Bools, TraceSource
from tensordbg.analysis.diff.agreement import Agreement, find_agreement
from tensordbg.analysis.diff.anchors import Anchors, Named, find_anchors
from tensordbg.analysis.diff.apart import Apart, Pair, are_of_one_size
from tensordbg.analysis.diff.begun_later import begun_later
from tensordbg.analysis.diff.clipped import clipped
from tensordbg.analysis.diff.damped import with_damped
from tensordbg.analysis.diff.doubtful import without_doubtful
from tensordbg.analysis.diff.earlier import with_earlier
from tensordbg.analysis.diff.elements import measure
from tensordbg.analysis.diff.ends import not_compared, unlike_losses
from tensordbg.analysis.diff.error_flow import Known, find_error_flow
from tensordbg.analysis.diff.exchanged import have_other_inputs, with_exchanged
from tensordbg.analysis.diff.explaining import explain
from tensordbg.analysis.diff.first_difference import find_pairs
from tensordbg.analysis.diff.in_parts import without_parts
from tensordbg.analysis.diff.kernels import without_seeming
from tensordbg.analysis.diff.lengths import notes_on_ends, notes_on_lengths
from tensordbg.analysis.diff.lookups import with_lookups
from tensordbg.analysis.diff.loose import loose_differences
from tensordbg.analysis.diff.losses_apart import losses_apart
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.noise import tolerance_by_twin
from tensordbg.analysis.diff.numbers import LOW
from tensordbg.analysis.diff.optimizers import set_unlike
from tensordbg.analysis.diff.parameters import pair_parameters
from tensordbg.analysis.diff.regions import Marks, Regions, find_regions
from tensordbg.analysis.diff.reordered import explain_reordered, led_back, reordered_results
from tensordbg.analysis.diff.rerun import run_again
from tensordbg.analysis.diff.result import ComparedTensor, Comparison, FirstDifference
from tensordbg.analysis.diff.scattered import with_scattered
from tensordbg.analysis.diff.side import Side, read_side
from tensordbg.analysis.diff.steps import NEVER, align, drifted_from, step_errors, with_drift
from tensordbg.analysis.diff.sums import with_sums
from tensordbg.analysis.diff.uncompared_ends import uncompared_ends
from tensordbg.analysis.diff.unlike_results import have_results_in_common, unlike_normalizations_behind, unlike_results
from tensordbg.analysis.diff.unlike_sources import unlike_sources
from tensordbg.analysis.diff.untrained import with_untrained
from tensordbg.analysis.diff.wording import Explained
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
    last: int | None = None
    """No step behind this one; None for all."""
    noise: TraceSource | None = None
    """A twin of the reference, by which the tolerance is found out, see `noise.py`."""
    named: tuple[Named, ...] = ()
    """Layers, parameters and tensors of A, and what they are called in B."""


def compare(reference: TraceSource, other: TraceSource, asked: Asked) -> Comparison:
    """Compares two traces; the first is the reference.

    Of a step by itself it is not known how far the runs have drifted apart before it, nor what rounding leaves of its
    gradients: it has no difference where the steps up to it have none together.
    """
    result = _compare(reference, other, asked)
    if asked.step is None or result.status != "diverged":
        return result
    together = _compare(reference, other, replace(asked, step=None, last=asked.step))
    return together if together.status == "same" else result


def _compare(reference: TraceSource, other: TraceSource, asked: Asked) -> Comparison:
    a, b = (read_side(each, asked.step, asked.last) for each in (reference, other))
    if asked.noise is not None:
        asked = replace(asked, tolerance=tolerance_by_twin(a, read_side(asked.noise, asked.step, asked.last)))
    result = compare_sides(a, b, asked)
    return replace(result, notes=(*result.notes, *notes_on_lengths(a, b), *notes_on_ends(reference.facts, other.facts)))


def compare_sides(a: Side, b: Side, asked: Asked) -> Comparison:
    """Compares what was read of two traces.

    What differs in the first step is looked for before any drift of training is taken for equal: a small difference
    there would pass for drift in the next.
    """
    anchors = find_anchors(a, b, asked.named)
    agreement = with_scattered(a, b, with_sums(a, b, find_agreement(a, b, asked.tolerance, anchors)))
    aligned = align(a, b, agreement)
    apart_a, apart_b = _apart((a, b), agreement, anchors)
    room = agreement.tolerance if asked.tolerance is None else 0.0
    undrifted = _pairs(apart_a, apart_b, room)
    pairs = _of_first_pass(a, b, undrifted)
    drifted = NEVER if pairs else drifted_from(aligned)
    if not pairs:
        agreement = with_drift(a, b, agreement, aligned)
        apart_a, apart_b = _apart((a, b), agreement, anchors)
        pairs = _pairs(apart_a, apart_b, room) or unlike_sources(apart_a, apart_b)
        pairs = with_earlier(apart_a, apart_b, pairs) or reordered_results(apart_a, apart_b, agreement)
        pairs = pairs or clipped(apart_a, apart_b) or set_unlike(apart_a, apart_b, undrifted)
    untrained = with_untrained(apart_a, apart_b, pairs)
    pairs, lookups = with_lookups(apart_a, apart_b, [*untrained] or pairs)
    parted = tuple((pair.a, pair.b) for pair in pairs)
    pairs = led_back(apart_a, apart_b, with_damped(apart_a, apart_b, pairs, agreement.tolerance), agreement)
    pairs = [without_seeming(apart_a, apart_b, pair) for pair in pairs]
    pairs, lookups = _of_whole_trainings(apart_a, apart_b, pairs, lookups)
    loose = untrained | lookups | {pair: explain_reordered(apart_a, apart_b, pair) for pair in pairs if pair.reordered}
    if not pairs:
        unlike = unlike_results(apart_a, apart_b, agreement.tolerance)
        if not unlike and asked.step is asked.last is None:
            unlike = dict(islice(uncompared_ends(apart_a, apart_b), 1))
        loose = {pair: unlike_normalizations_behind(apart_a, apart_b, pair) or said for pair, said in unlike.items()}
        loose = loose or loose_differences(apart_a, apart_b, agreement)
    explained = [
        (pair, loose.get(pair) or explain(apart_a, apart_b, pair))
        for pair in _of_first_step(b, [each for each in pairs if not each.beside] or list(loose))
    ]
    explained = [each for each in explained if not _is_drift(b, *each, drifted)]
    differences = [_first_difference(apart_a, apart_b, *each, agreement.tolerance) for each in explained]
    begun = _begun(apart_a, apart_b, pairs, [found for _, found in explained])
    matched = int((agreement.b & ~b.numbers.constant).sum())
    in_common = bool(matched or anchors.b.any() or (loose and not pairs)) and bool(
        differences or have_results_in_common(apart_a, apart_b)
    )
    unmatched = int((~agreement.b & ~b.numbers.constant).sum())
    return Comparison(
        status=_status(differences, matched, unmatched) if in_common else "not_comparable",
        matched=matched,
        unmatched_a=int((~agreement.a & ~a.numbers.constant).sum()),
        unmatched_b=unmatched,
        tolerance=agreement.tolerance,
        first=differences[0] if differences and in_common else None,
        also=tuple(differences[1:]) if in_common else (),
        parameters=pair_parameters(apart_a, apart_b, agreement.tolerance),
        steps=step_errors(aligned),
        only_a=_some(apart_a),
        only_b=_some(apart_b),
        notes=_notes_on_drift(drifted) if not differences else (),
        errors=find_error_flow(apart_a, apart_b, Known(agreement, aligned, begun, parted)) if in_common else (),
    )


def _of_whole_trainings(
    a: Apart, b: Apart, pairs: list[Pair], said: dict[Pair, Explained]
) -> tuple[list[Pair], dict[Pair, Explained]]:
    """Tells, with words, of trainings that begin apart, and of losses where nothing else differs."""
    found = begun_later(a, b)
    if not found:
        found = {pair: words for pair, words in losses_apart(a, b).items() if not _are_before(b, pairs, pair)}
    return [*found] or pairs, said | found


def _are_before(b: Apart, pairs: list[Pair], loss: Pair) -> bool:
    """Tells whether runs part in a forward pass up to a loss, and not in what is made of that."""
    step, behind = b.side.numbers.step, b.side.backward | b.side.updates
    return any(not (pair.loosely or behind[pair.b]) and step[pair.b] <= step[loss.b] for pair in pairs)


def _is_drift(b: Side, pair: Pair, found: Explained, drifted: int) -> bool:
    """Tells whether a difference is of values alone, in a step that rounding may have put apart as far."""
    of_values = found.kind in ("value", "update") and not (found.difference or pair.extra_a or pair.extra_b)
    return of_values and int(b.time[pair.b]) >= drifted


def _notes_on_drift(drifted: int) -> tuple[str, ...]:
    if drifted == NEVER:
        return ()
    return (f"from step {drifted} on rounding has put the runs so far apart that unlike values there tell nothing",)


def _begun(a: Apart, b: Apart, pairs: list[Pair], explained: list[Explained]) -> tuple[tuple[int, int], ...]:
    """The values at which the error begins: what is told, and other outputs of the same operations."""
    beside = (pair for pair in _of_first_step(b.side, pairs) if pair.beside and are_of_one_size(a, b, pair.a, pair.b))
    told = ((found.row_a, found.row_b) for found in explained)
    return tuple(dict.fromkeys([*told, *((pair.a, pair.b) for pair in beside)]))


def _pairs(a: Apart, b: Apart, tolerance: float) -> list[Pair]:
    pairs = without_parts(a, b, with_exchanged(a, b, find_pairs(a, b)))
    return without_doubtful(a, b, pairs, tolerance)


def _status(differences: list[FirstDifference], matched: int, unmatched: int) -> str:
    """Tells of runs without a difference whether they have enough in common to be the same."""
    if not differences and matched * _IN_COMMON < unmatched:
        return "not_comparable"
    return "diverged" if differences else "same"


def _of_first_pass(a: Side, b: Side, pairs: list[Pair]) -> list[Pair]:
    """Those of the first step, before anything was updated."""
    first = b.time.min(initial=0)
    behind = (b.updates[pair.b] or a.time[pair.a] > max(first, a.numbers.step[pair.a]) for pair in pairs)
    return [pair for pair, later in zip(pairs, behind, strict=True) if b.time[pair.b] == first and not later]


def _of_first_step(b: Side, pairs: list[Pair]) -> list[Pair]:
    """Those of the step in which the runs part: what differs later may come of it."""
    if not pairs:
        return []
    steps = [int(b.numbers.step[pair.b]) for pair in pairs]
    return [pair for pair, step in zip(pairs, steps, strict=True) if step == steps[0]][: _SHOWN + 1]


def _apart(sides: tuple[Side, Side], agreement: Agreement, anchors: Anchors) -> tuple[Apart, Apart]:
    a, b = sides
    losses = unlike_losses((a, agreement.a), (b, agreement.b))
    return (
        Apart(a, agreement.label_a, a.numbers.constant, _regions((a, b), agreement.a, losses[0]), anchors.a),
        Apart(b, agreement.label_b, b.numbers.constant, _regions((b, a), agreement.b, losses[1]), anchors.b),
    )


def _regions(sides: tuple[Side, Side], agreed: Bools, losses: Bools) -> Regions:
    side, other = sides
    constant = side.numbers.constant
    marks = Marks(
        constant=constant,
        filled=constant & (side.numbers.statistics[:, LOW] != 0),
        settled=side.kept,
        alone=side.numbers.size == 1,
        no_result=not_compared(side, other, agreed),
        results=losses,
        site=side.numbers.site,
    )
    return find_regions(side.edges, agreed, marks)


def _first_difference(a: Apart, b: Apart, pair: Pair, found: Explained, tolerance: float) -> FirstDifference:
    error = found.error if found.error < FAR else None
    of_values = found.kind == "value" and not have_other_inputs(a, b, pair)
    rerun = run_again(a, b, (found.row_a, found.row_b), tolerance) if of_values else None
    return FirstDifference(
        kind=found.kind,
        a=tensor_at(a.side, found.row_a),
        b=tensor_at(b.side, found.row_b),
        error=rerun.error if rerun is not None and rerun.adds else error,
        added=found.added if rerun is None else rerun.adds,
        difference=found.difference,
        explanation=found.explanation,
        suggestion=found.suggestion,
        measured=measure(a.side, found.row_a, b.side, found.row_b),
        rerun=None if rerun is None else rerun.measured,
        only=(*(tensor_at(a.side, row) for row in pair.extra_a), *(tensor_at(b.side, row) for row in pair.extra_b)),
    )


def tensor_at(side: Side, row: int) -> ComparedTensor:
    """Tells all that is shown of a value."""
    event = int(side.numbers.event[row])
    site = side.site(row)
    view = replace(side.details.views([event])[event], step=int(side.numbers.step[row]))
    return ComparedTensor(view, layer_path(site), side.own_line(site))


def _some(apart: Apart) -> tuple[ComparedTensor, ...]:
    rows = np.flatnonzero((apart.label < 0) & ~apart.constant)[:_SHOWN]
    return tuple(tensor_at(apart.side, row) for row in rows.tolist())
