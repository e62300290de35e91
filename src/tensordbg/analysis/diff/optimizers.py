"""Settings of the optimizers of two runs, compared by their names: learning rate, momentum, betas, weight decay.

They are those that the programs gave their optimizers, so they are exact where what a formula makes of them is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import as_written
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.normalization import PLACE
from tensordbg.analysis.diff.numbers import SUM
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.scheduled_rates import rates_in_step
from tensordbg.analysis.diff.wording import OPTIMIZER, PLACE_OF_RATE
from tensordbg.operations.setting_names import (
    RATE,
    comparable_settings,
    optimizer_settings,
    place_of_epsilon,
    place_of_rate,
)
from tensordbg.trace.program.optimizers import OptimizerSettings

_DECAY, _EPSILON, _MOMENTUM = "weight decay", "epsilon", "momentum"
_WALKED = 40
"""So many values around an update are looked at for the variable that it is one of."""
_LOOKED_AT = 100
"""So many pairs of updates are looked at for settings that differ."""
_NEAR = 1e-6
"""Numbers that are nearer are the same, one of them rounded to single precision."""


@dataclass(frozen=True)
class ComparedOptimizers:
    """How the two optimizers are set that make an update."""

    difference: tuple[AttributeDifference, ...]
    """First their kinds, where those differ."""

    @property
    def is_rounding(self) -> bool:
        """Whether all that differs is the small number that keeps a division from going by zero."""
        return {each.attribute for each in self.difference} == {_EPSILON}


def compare_optimizers(a: Apart, b: Apart, pair: Pair, step: int) -> ComparedOptimizers | None:
    """Compares how the optimizers behind two updates are set in a step; `None` where that is not known of both."""
    found_a, found_b = settings_behind(a, pair.a, step), settings_behind(b, pair.b, step)
    if found_a is None or found_b is None:
        return None
    kinds = found_a.kind, found_b.kind
    same_kind = kinds[0].casefold() == kinds[1].casefold()  # `NAdam` in one framework is `Nadam` in the other
    difference = [] if same_kind else [AttributeDifference(OPTIMIZER, *kinds)]
    told = dict(comparable_settings(_all_settings(a, found_a, step), _all_settings(b, found_b, step)))
    if RATE in told:
        told[RATE] = rates_in_step((a, b), told[RATE], step)
    difference += [
        AttributeDifference(name, *map(as_written, values)) for name, values in told.items() if not _are_equal(*values)
    ]
    return ComparedOptimizers(tuple(difference) or _place_of_rate(a, b, told, step))


def unlike_epsilons(a: Apart, b: Apart, pair: Pair, step: int) -> ComparedOptimizers | None:
    """Compares the epsilons of two optimizers between which nothing else differs, and where they are added.

    They rarely matter: this is for updates that are apart without any other reason.
    """
    found = settings_behind(a, pair.a, step), settings_behind(b, pair.b, step)
    compared = compare_optimizers(a, b, pair, step)
    if compared is None or None in found or not (compared.is_rounding or not compared.difference):
        return None
    places = [place_of_epsilon(each.kind, run.side.frameworks) for each, run in zip(found, (a, b), strict=True) if each]
    place = (AttributeDifference(PLACE, *places),) if places[0] != places[1] else ()
    return ComparedOptimizers((*compared.difference, *place)) if compared.difference or place else None


def has_decay(apart: Apart, row: int, step: int) -> bool:
    """Whether the optimizer behind an update is set to have weights decay in a step."""
    found = settings_behind(apart, row, step)
    return found is not None and bool(_all_settings(apart, found, step).get(_DECAY))


def _place_of_rate(
    a: Apart, b: Apart, told: Mapping[str, tuple[object, object]], step: int
) -> tuple[AttributeDifference, ...]:
    """Tells of momenta of two frameworks of which one has the rate in it, where that is not what it was before."""
    places = [place_of_rate(each.side.frameworks) for each in (a, b)]
    if not told.get(_MOMENTUM, (0,))[0] or RATE not in told or step == 0 or places[0] == places[1]:
        return ()
    before = [_rate_before(each, step - 1) for each in (a, b)]
    changed = any(isinstance(rate, float) and not _are_equal(rate, told[RATE][0]) for rate in before)
    return (AttributeDifference(PLACE_OF_RATE, *places),) if changed else ()


def _rate_before(apart: Apart, step: int) -> object:
    """The learning rate of the only optimizer of a run in a step."""
    found = [each for each in apart.side.optimizers if each.step <= step]
    if len({each.optimizer for each in found}) != 1:
        return None
    return _all_settings(apart, found[-1], step).get(RATE)


def set_unlike(a: Apart, b: Apart, pairs: Iterable[Pair]) -> list[Pair]:
    """Chooses the first pair of updates that optimizers of one framework make by unlike settings, be it next to equal.

    What is as small as the drift of a training may come of it, and of a setting as well, where one is known to differ.
    """
    if a.side.frameworks != b.side.frameworks:
        return []
    of_updates = (pair for pair in pairs if a.side.updates[pair.a] and b.side.updates[pair.b])
    for pair in islice(of_updates, _LOOKED_AT):
        compared = compare_optimizers(a, b, pair, int(b.side.numbers.step[pair.b]))
        if compared is not None and compared.difference and not compared.is_rounding:
            return [pair]
    return []


def _are_equal(a: object, b: object) -> bool:
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= _NEAR * max(abs(a), abs(b))
    return a == b


def settings_behind(apart: Apart, row: int, step: int) -> OptimizerSettings | None:
    """Gives the settings in a step of the optimizer that makes an update; `None` where several may be meant."""
    latest: dict[tuple[int, int], OptimizerSettings] = {}
    for each in apart.side.optimizers:
        if each.step <= step:
            latest[each.optimizer, each.group] = each
    if len(latest) <= 1:
        return next(iter(latest.values()), None)
    variables = set(_variables_around(apart, row))
    training = [each for each in latest.values() if variables & set(each.variables)]
    return training[0] if len(training) == 1 else None


def _variables_around(apart: Apart, row: int) -> Iterator[int]:
    """The variables that the nearest values around an update were read of, or written to."""
    side = apart.side
    step, size = side.numbers.step, side.numbers.size

    def near(made: int) -> list[int]:
        around = (*side.edges.children[made], *side.edges.parents[made])
        return [each for each in around if side.updates[each] and step[each] == step[row] and size[each] == size[row]]

    for each in reached(row, near, _WALKED):
        for beside in (each, *side.edges.parents[each]):
            yield from (*side.site(beside).reads, *side.site(beside).writes)


def _all_settings(apart: Apart, told: OptimizerSettings, step: int) -> dict[str, object]:
    """The settings by their common names, with those that variables hold."""
    held = {name: _read(apart, variable, step) for name, variable in told.held.items()}
    return optimizer_settings({**{name: value for name, value in held.items() if value is not None}, **told.settings})


def _read(apart: Apart, variable: int, step: int) -> float | None:
    """The single number that a variable held when it was last read up to a step."""
    numbers = apart.side.numbers
    of_variable = apart.side.of_sites(lambda site: site.reads == (variable,))
    rows = ((numbers.size == 1) & of_variable & (numbers.step <= step)).nonzero()[0]
    return float(numbers.statistics[rows[-1], SUM]) if len(rows) else None
