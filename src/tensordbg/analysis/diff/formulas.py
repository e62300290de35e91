"""An optimizer of one run beside the formula that the program of the other writes out.

The settings of the optimizer are looked for among the numbers of the formula: as they are, or as such formulas have
them, such as 1 less a beta. The one without which, or with another number for which, the rest makes sense, differs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import as_written, numbers_of_updates
from tensordbg.analysis.diff.optimizers import settings_behind
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.rule_forms import NESTEROV, forms_of
from tensordbg.analysis.diff.wording import DECAY
from tensordbg.operations.setting_names import optimizer_settings

Settings = Mapping[str, float]

_RATE, _DECAY, _EPSILON = "learning rate", "weight decay", "epsilon"
_MOMENTUM, _DAMPENING = "momentum", "dampening"
_CORRECTION = "bias correction"
_LEAST_SHRINKING = 0.3
_SHRINKING = ("momentum", "beta1", "beta2", "alpha", "rho")
"""Settings of which powers correct the bias of what is kept."""
_PLAIN = (0.0, 0.5, 1.0, 2.0)
"""Numbers that stand in formulas whatever is set: of squares and roots."""
_FORMS = ((DECAY, _DECAY), (NESTEROV, _MOMENTUM))
"""What shows in a formula's operations, and the setting that it belongs to."""
_NEAR = 1e-5
_ROUGHLY = 0.03
_MOST_NUMBERS = 40
"""A step with more numbers than any formula has is looked at no further."""


def compare_with_formula(a: Apart, b: Apart, pair: Pair, step: int) -> tuple[AttributeDifference, ...]:
    """Tells a setting of an optimizer of one run that is another one in the formula of the other; () for all else."""
    for mine, other, row, turned in ((a, b, pair.a, False), (b, a, pair.b, True)):
        told = settings_behind(mine, row, step)
        if told is None or other.side.optimizers:
            continue
        every = {name: float(value) for name, value in optimizer_settings(told.settings).items()
                 if isinstance(value, (int, float)) and not isinstance(value, bool)}  # fmt: skip
        numbers = _numbers(other, step)
        forms = forms_of(other, step)
        every = {name: value for name, value in every.items() if value or _may_be(name, forms, every)}
        kept = [name for form, name in _FORMS if form in forms]
        found = _another(every, numbers, step + 1, kept) if 0 < len(numbers) <= _MOST_NUMBERS else None
        if found is not None:
            name, value, in_formula = found
            pair_of = (in_formula, value) if turned else (value, in_formula)
            return (AttributeDifference(name, *(as_written(each) for each in pair_of)),)
    return () if a.side.optimizers or b.side.optimizers else _of_formulas(a, b, step)


def _of_formulas(a: Apart, b: Apart, step: int) -> tuple[AttributeDifference, ...]:
    """The decay or the momentum that one of two formulas has, by the number that the other has nowhere."""
    numbers, forms = [_numbers(each, step) for each in (a, b)], [forms_of(each, step) for each in (a, b)]
    left = [[one for one in mine if not any(_are_near(one, other) for other in theirs)]
            for mine, theirs in (numbers, numbers[::-1])]  # fmt: skip
    names = [name for form, name in _FORMS if (form in forms[0]) != (form in forms[1])]
    if len(names) != 1 or len(left[0]) + len(left[1]) != 1:
        return ()
    values = (left[0][0], 0.0) if left[0] else (0.0, left[1][0])
    return (AttributeDifference(names[0], *(as_written(each) for each in values)),)


def _may_be(name: str, forms: Mapping[str, object], every: Settings) -> bool:
    """Tells whether a formula may have a setting that the optimizer has not: it has what that belongs to."""
    if name == _DECAY:
        return DECAY in forms
    return NESTEROV in forms and (name == _MOMENTUM or (name == _DAMPENING and bool(every.get(_MOMENTUM))))


def lacks_correction(a: Apart, b: Apart, pair: Pair, ratio: float) -> tuple[AttributeDifference, ...]:
    """Tells of a formula whose steps are to those of an optimizer as they are without a correction of the bias."""
    turn = int(b.side.numbers.step[pair.b]) + 1
    for mine, other, row, rate in ((a, b, pair.a, ratio), (b, a, pair.b, 1 / ratio)):
        told = settings_behind(mine, row, turn - 1)
        every = {} if told is None else optimizer_settings(told.settings)
        first, second = (every.get(name) for name in ("beta1", "beta2"))
        if other.side.optimizers or not (isinstance(first, float) and isinstance(second, float)):
            continue
        without = (1 - first**turn) / math.sqrt(1 - second**turn)
        if abs(rate / without - 1) <= _ROUGHLY:
            return (AttributeDifference(_CORRECTION, mine is a, mine is b),)
    return ()


def occurs_elsewhere(a: Apart, b: Apart, step: int, told: AttributeDifference) -> bool:
    """Tells whether the one of two unlike numbers stands in the other run's formula too, where it means another."""
    values = [abs(each) for each in (told.a, told.b) if isinstance(each, (int, float))]
    return len(values) == 2 and any(
        any(_are_near(value, other) for other in _numbers(apart, step))
        for value, apart in zip(values, (b, a), strict=True)
    )


def _numbers(apart: Apart, step: int) -> list[float]:
    """The numbers of the formula by which a run makes its updates in a step, each once."""
    told = np.unique([abs(each.value) for each in numbers_of_updates(apart, step)])
    return [float(each) for each in told if each not in _PLAIN]


def _another(every: Settings, numbers: list[float], turn: int, kept: list[str]) -> tuple[str, float, float] | None:
    """The name of a setting, its value, and the number that stands in its place: 0 where none does.

    Args:
        every: The settings.
        numbers: Those of the formula.
        turn: The number of the step, counted from 1.
        kept: Settings that the formula is known to have, though the number may not show in its first step.
    """
    used = {name: value for name, value in every.items() if value}
    left = _unexplained(numbers, used, turn)
    if not left:
        unused = [name for name in _missed(numbers, used, turn) if name not in kept]
        return (unused[0], used[unused[0]], 0.0) if len(unused) == 1 else None
    found = []
    for name, value in every.items():
        for number in dict.fromkeys(each for one in left for each in _read_as(name, one, used)):
            instead = {**used, name: number}
            makes_sense = _may_stand(name, number) and not _unexplained(numbers, instead, turn)
            if makes_sense and _RATE not in _missed(numbers, instead, turn):
                found.append((not value, abs(number - value), (name, value, number)))
    found.sort()
    several = {each[2][0] for each in found if each[0] == found[0][0]}
    return found[0][2] if len(several) == 1 else None


def _may_stand(name: str, number: float) -> bool:
    """Tells whether a setting may be a number: one by which something shrinks in each step is not near to zero."""
    return _LEAST_SHRINKING < number < 1 if name in _SHRINKING else number > 0


def _read_as(name: str, number: float, settings: Settings) -> Iterator[float]:
    """What a setting may be where a formula has a number of it."""
    yield number
    rate = settings.get(_RATE)
    if name in (*_SHRINKING, _DAMPENING):
        yield 1 - number
    elif name == _DECAY and rate:
        yield from (number / rate, (1 - number) / rate)
    elif name == _RATE and settings.get(_DECAY):
        yield from (number / settings[_DECAY], (1 - number) / settings[_DECAY])


def _unexplained(numbers: Iterable[float], settings: Settings, turn: int) -> list[float]:
    known = list(_derived(settings, turn))
    return [each for each in numbers if not any(_are_near(each, other) for other in known)]


def _missed(numbers: list[float], settings: Settings, turn: int) -> Iterator[str]:
    """The settings without which all numbers of a formula make sense as well, and which no other one hides."""
    for name in settings:
        if not _unexplained(numbers, _without(settings, name), turn) and not _is_shadowed(settings, name, turn):
            yield name


def _is_shadowed(settings: Settings, name: str, turn: int) -> bool:
    """Whether another setting gives the number of one, or it is too small to be looked for: a division by nothing."""
    return name == _EPSILON or not _unexplained([settings[name]], _without(settings, name), turn)


def _without(settings: Settings, name: str) -> Settings:
    return {other: value for other, value in settings.items() if other != name}


def _derived(settings: Settings, turn: int) -> Iterator[float]:
    """The numbers that formulas make of settings in a step, which is counted from 1."""
    rate, epsilon = settings.get(_RATE), settings.get(_EPSILON)
    yield from settings.values()
    yield from (1 - value for name, value in settings.items() if name in (*_SHRINKING, _DAMPENING))
    corrections = [1 - settings[name] ** turn for name in _SHRINKING if name in settings]
    corrections = [each for each in corrections if each > 0]
    roots = [math.sqrt(each) for each in corrections]
    factors = [*corrections, *roots, *(root / each for root in roots for each in corrections)]
    yield from factors
    yield from (1 / each for each in factors)
    if rate is not None:
        yield from (rate * each for each in factors)
        yield from (rate / each for each in factors)
        if _DECAY in settings:
            yield from (rate * settings[_DECAY], 1 - rate * settings[_DECAY])
    if epsilon is not None:
        yield from (epsilon * each for each in roots)


def _are_near(a: float, b: float) -> bool:
    return abs(a - abs(b)) <= _NEAR * max(a, abs(b))
