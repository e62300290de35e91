"""Parts of a loss that training drives the wrong way: errors that count with a minus, likelihoods without one.

The sign with which a part counts is read off the way from it to the loss: sums, means and factors of one sign keep it,
a minus turns it. What goes through anything else, as a reward that weighs each example, is no part.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.losses.negated_error import is_error
from tensordbg.analysis.warnings.study.losses import Loss
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.operations.kinds import Kind

_FARTHEST = 200
_KEEPS = frozenset(
    {
        *(Kind.ADD, Kind.ADD_MANY, Kind.SUM, Kind.MEAN, Kind.IDENTITY, Kind.RESHAPE, Kind.SQUEEZE, Kind.EXPAND_DIMS),
        *(Kind.CAST, Kind.BROADCAST, Kind.TRANSPOSE),
    }
)
_FACTORS = frozenset({Kind.MULTIPLY, Kind.MULTIPLY_NO_NAN, Kind.DIVIDE, Kind.DIVIDE_NO_NAN})
_SCALED = frozenset({Kind.DIVIDE, Kind.DIVIDE_NO_NAN, Kind.MULTIPLY})
_SQUARED = frozenset({Kind.SQUARE, Kind.POWER})
_LIKELIHOODS = frozenset({Kind.LOG, Kind.LOG_SOFTMAX})
_ROUNDING = 1e-5


def opposed_errors(study: Study, loss: Loss) -> Iterator[Loss]:
    """Errors that count with a minus: the loss is smaller where they are larger."""
    for k, sign in _parts(study, loss):
        if sign < 0 and (is_error(study, k) or _is_of_scaled_difference(study, k) or _is_sigmoid_loss(study, k)):
            means = study.series.means(k)
            if (means >= 0).all():
                yield Loss(k, means)


def opposed_likelihoods(study: Study, loss: Loss) -> Iterator[Loss]:
    """Logarithms of the labels' probabilities that count as they are: the loss is smaller where these are unlikely."""
    for k, sign in _parts(study, loss):
        high = study.series.high[study.series.rows(k)]
        if sign > 0 and bool((high <= _ROUNDING).all()) and _is_of_labels(study, int(study.port[k])):
            yield Loss(k, study.series.means(k))


def _parts(study: Study, loss: Loss) -> Iterator[tuple[int, int]]:
    """The series on the way to a loss that were computed as often, each with its sign."""
    for port, sign in _signs(study, int(study.port[loss.series])).items():
        for k in study.at.get(port, ()):
            if sign and study.series.lengths[k] == len(loss.values):
                yield k, sign


def _signs(study: Study, end: int) -> dict[int, int]:
    """The sign with which each port counts, 0 where it counts with both."""
    trained = study.from_trained
    signs, ahead = {end: 1}, [end]
    while ahead and len(signs) < _FARTHEST:
        port = ahead.pop()
        for before, turned in _before(study, port, trained):
            sign = turned * signs[port]
            if before not in signs:
                signs[before] = sign
                ahead.append(before)
            elif signs[before] != sign:
                signs[before] = 0
    return signs


def _before(study: Study, port: int, trained: Bools) -> Iterator[tuple[int, int]]:
    """What a port is made of in a way that keeps or turns the sign."""
    site = study.wiring.site(port)
    if site is None or not study.forward[port]:
        return
    kind, parents = operation_of(site).kind, study.wiring.parents(port)
    made = [each for each in parents if trained[each]]
    if kind is Kind.SUBTRACT:
        given = [study.ports.of(ref) for ref in study.program.inputs_of(site.site)]
        yield from ((each, 1 if each == given[0] else -1) for each in made if len(given) == 2 and given[0] != given[1])
    elif kind is Kind.NEGATE or kind in _KEEPS:
        yield from ((each, -1 if kind is Kind.NEGATE else 1) for each in made)
    elif kind in _FACTORS and len(made) == 1:
        factor = _sign_of([each for each in parents if each not in made], study)
        if factor and _is_dividend(study, port, made[0], kind):
            yield made[0], factor


def _is_dividend(study: Study, port: int, made: int, kind: Kind) -> bool:
    site = study.wiring.site(port)
    if kind in (Kind.MULTIPLY, Kind.MULTIPLY_NO_NAN) or site is None:
        return True
    given = study.program.inputs_of(site.site)
    return bool(given) and study.ports.of(given[0]) == made


def _sign_of(factors: list[int], study: Study) -> int:
    """The sign that a number has in all steps, one for all examples; 0 where it is not known or changes."""
    if len(factors) != 1 or factors[0] not in study.at:
        return 0
    rows = study.series.rows(study.at[factors[0]][0])
    low, high = study.series.low[rows], study.series.high[rows]
    if not (low == high).all():
        return 0
    return 1 if (low > 0).all() else -1 if (high < 0).all() else 0


def _is_of_scaled_difference(study: Study, k: int) -> bool:
    """Whether a tensor is the square of a difference that was divided or multiplied, as by a deviation."""
    if operation_of(study.site(k)).kind not in _SQUARED:
        return False
    scaled = [each for each in study.wiring.parents(int(study.port[k])) if study.kind(each) in _SCALED]
    return any(study.kind(each) is Kind.SUBTRACT for port in scaled for each in study.wiring.parents(port))


def _is_sigmoid_loss(study: Study, k: int) -> bool:
    """Whether it is the loss of a sigmoid as it is written out to be stable, which is never below 0."""
    port = int(study.port[k])
    kinds = {study.kind(each) for each in study.wiring.parents(port)}
    stable = study.kind(port) is Kind.ADD and kinds == {Kind.LOG1P, Kind.SUBTRACT}
    return stable and bool((study.series.low[study.series.rows(k)] >= -_ROUNDING).all())


def _is_of_labels(study: Study, port: int) -> bool:
    """Whether it is the product of classes and logarithms, or the sum of two, of what is so and what is not."""
    if study.kind(port) is Kind.ADD:
        parents = study.wiring.parents(port)
        return len(parents) == 2 and all(_shares(study, each) for each in parents)
    return any(_are_classes(study, each) for each in _shares(study, port))


def _shares(study: Study, port: int) -> list[int]:
    """What logarithms are multiplied with, if it is from 0 to 1 and made of no weights."""
    if study.kind(port) not in (Kind.MULTIPLY, Kind.MULTIPLY_NO_NAN):
        return []
    parents = study.wiring.parents(port)
    others = [each for each in parents if study.kind(each) not in _LIKELIHOODS]
    return [each for each in others if _is_share(study, each)] if len(others) == len(parents) - 1 else []


def _is_share(study: Study, port: int) -> bool:
    if port not in study.at or study.from_trained[port]:
        return False
    rows = study.series.rows(study.at[port][0])
    return bool((study.series.low[rows] >= 0).all() and (study.series.high[rows] <= 1).all())


def _are_classes(study: Study, port: int) -> bool:
    """Whether a tensor holds 0 and 1 alone, such as classes one-hot: its sum is then that of its squares."""
    series, rows = study.series, study.series.rows(study.at[port][0])
    whole = bool(np.isclose(series.total[rows], series.squares[rows]).all())
    return whole and bool(series.zero[rows].any() and series.total[rows].any())
