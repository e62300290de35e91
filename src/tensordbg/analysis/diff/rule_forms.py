"""Forms of one rule that hold the same numbers: where it adds an epsilon, what it decays, whose momentum it has."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.normalization import INSIDE, OUTSIDE, PLACE, ROOTS
from tensordbg.analysis.diff.numbers import HIGH, LOW
from tensordbg.analysis.diff.optimizers import settings_behind
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.wording import DECAY
from tensordbg.operations.kinds import Kind

NESTEROV = "nesterov"
_SMALL = 0.1
"""An epsilon is smaller."""
_WALKED = 12
_OF_GRADIENT, _OF_PARAMETER = "added to the gradient", "taken off the parameter"
_SCALING = frozenset({Kind.MULTIPLY, Kind.DIVIDE})


def unlike_forms(a: Apart, b: Apart, pair: Pair, step: int) -> tuple[AttributeDifference, ...]:
    """Tells the forms of the rules by which two runs make their updates in a step, where both are known and unlike."""
    found = [{**forms_of(each, step), **_said(each, row, step)} for each, row in ((a, pair.a), (b, pair.b))]
    names = [name for name in found[0] if name in found[1] and found[0][name] != found[1][name]]
    return tuple(AttributeDifference(name, found[0][name], found[1][name]) for name in names)


def _said(apart: Apart, row: int, step: int) -> dict[str, object]:
    """The forms that the settings of an optimizer tell."""
    told = settings_behind(apart, row, step)
    return {} if told is None else {name: value for name, value in told.settings.items() if name == NESTEROV}


def forms_of(apart: Apart, step: int) -> dict[str, object]:
    """Tells the forms of a rule, by their names; without those that its operations don't show.

    In its first step a rule keeps nothing yet, so the next one is looked at too.
    """
    side = apart.side
    steps = np.isin(side.numbers.step, (step, step + 1))
    rows = np.flatnonzero(side.updates & steps & (side.numbers.size > 1)).tolist()
    sums = [row for row in rows if side.operation(row).kind is Kind.ADD]
    places = {place for row in rows for place in _places_of_epsilon(apart, row)}
    decays = {_OF_GRADIENT for row in sums if _adds_parameter(apart, row)}
    decays |= {_OF_PARAMETER for row in rows if _shrinks_parameter(apart, row)}
    momenta = [bool(each) for each in (_momentum(apart, row) for row in sums) if each is not None]
    forms: dict[str, object] = {}
    if len(places) == 1:
        forms[PLACE] = places.pop()
    if len(decays) == 1:
        forms[DECAY] = decays.pop()
    if momenta:
        forms[NESTEROV] = any(momenta)
    return forms


def _places_of_epsilon(apart: Apart, row: int) -> Iterator[str]:
    """Where a small number is added on the way to a root, or to what a root gives."""
    side = apart.side
    if side.operation(row).kind is not Kind.ADD or not any(_is_small(apart, each) for each in side.edges.parents[row]):
        return
    if any(side.operation(each).kind in ROOTS for each in _next(apart, row)):
        yield INSIDE
    elif any(side.operation(each).kind in ROOTS for each in reached(row, lambda each: _scaled(apart, each), _WALKED)):
        yield OUTSIDE


def _scaled(apart: Apart, row: int) -> Iterator[int]:
    """What goes into a sum, or into a product or quotient before it."""
    side = apart.side
    return (each for each in _whole(apart, row) if side.operation(each).kind in ROOTS | _SCALING)


def _is_small(apart: Apart, row: int) -> bool:
    told = apart.side.numbers.statistics[row]
    return bool(apart.side.numbers.size[row] == 1 and 0 < told[LOW] == told[HIGH] < _SMALL)


def _adds_parameter(apart: Apart, row: int) -> bool:
    """Whether a gradient and a parameter, or a product of it with a number, are added up."""
    given = _whole(apart, row)
    gradients = [each for each in given if apart.side.backward[each]]
    others = [each for each in given if not apart.side.backward[each]]
    if len(gradients) != 1 or len(others) != 1 or _is_parameter_next(apart, row):
        return False
    return is_parameter(apart, others[0]) or _is_share_of_parameter(apart, others[0])


def _shrinks_parameter(apart: Apart, row: int) -> bool:
    """Whether a parameter is multiplied by a number and goes on as the parameter, and not as what is added."""
    if not _is_share_of_parameter(apart, row):
        return False
    numbers = [each for each in apart.side.edges.parents[row] if apart.side.numbers.size[each] == 1]
    return any(float(apart.side.numbers.statistics[each, LOW]) > 0.5 for each in numbers)  # 1 less rate times decay


def _is_share_of_parameter(apart: Apart, row: int) -> bool:
    given = _whole(apart, row)
    multiplies = apart.side.operation(row).kind is Kind.MULTIPLY and len(given) == 1
    return multiplies and bool(apart.side.updates[row]) and is_parameter(apart, given[0])


def is_parameter(apart: Apart, row: int) -> bool:
    """Tells whether a value is a parameter: the forward pass of a step is computed with it, and it is no gradient."""
    side = apart.side
    if side.backward[row]:
        return False
    made = [row, *(each for each in side.edges.parents[row] if side.operation(row).kind is Kind.READ)]
    return any(
        not (side.updates[child] or side.backward[child])
        for each in made for child in side.edges.children[each]
    )  # fmt: skip


def _is_parameter_next(apart: Apart, row: int) -> bool:
    """Tells whether an update is what the next step computes with."""
    step = apart.side.numbers.step
    return any(step[each] > step[row] and not apart.side.updates[each] for each in apart.side.edges.children[row])


def _momentum(apart: Apart, row: int) -> bool | None:
    """Tells of a sum with a share of what is kept whether that holds what it is added to already, as Nesterov's does.

    `None` of all other sums: those with a parameter, or the last of a step.
    """
    given = _whole(apart, row)
    if len(given) != 2 or _is_parameter_next(apart, row):
        return None
    found = (_holds(apart, share, other) for share, other in (given, given[::-1]))
    return next((each for each in found if each is not None), None)


def _holds(apart: Apart, share: int, gradient: int) -> bool | None:
    """Whether what is kept, of which a number's share is taken, is made of a gradient; `None` of all else."""
    side = apart.side
    kept = _whole(apart, share)
    if side.operation(share).kind is not Kind.MULTIPLY or len(kept) != 1 or not side.updates[share]:
        return None
    step = side.numbers.step
    if is_parameter(apart, kept[0]) or any(is_parameter(apart, each) for each in _whole(apart, kept[0])):
        return None
    if (side.updates[kept[0]] or side.backward[kept[0]]) and step[kept[0]] < step[share]:
        return False
    behind = reached(kept[0], lambda other: _whole(apart, other), _WALKED)
    return True if gradient in behind else None


def _whole(apart: Apart, row: int) -> list[int]:
    """The values of the size of an update that it is made of, in its step or before."""
    size = apart.side.numbers.size
    return [each for each in apart.side.edges.parents[row] if size[each] == size[row]]


def _next(apart: Apart, row: int) -> Iterator[int]:
    return (each for each in apart.side.edges.children[row] if apart.side.updates[each])
