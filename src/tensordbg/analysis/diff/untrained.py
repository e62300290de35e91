"""Parameters that one run trains in a step and the other leaves as they are, though both compute with them alike.

So it is where a tensor is detached, a layer is frozen, an optimizer is given some of the parameters alone, or gradients
are set to zero before the step. A run that has no backward pass at all is no training, and says nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.unnamed_parameters import Key, UnnamedParameters, keys_of, unique
from tensordbg.analysis.diff.wording import Explained
from tensordbg.analysis.program.held import noted_gradients
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

_NAMED = 3
"""So many parameters are told by their names."""
_WALKED = 20
"""So many values before an update are looked at for the gradient that it is made of."""
_UPDATED = "updated parameters"


@dataclass(frozen=True)
class _Left:
    """Parameters that one run updates in a step, and the other does not."""

    both: Both
    """The run that updates them is `mine`."""
    step: int
    names: Sequence[str]
    """What they are called in the run that updates them."""
    variable: int
    """The number of the first of them in the other run, `NONE` where it is no variable."""
    counts: tuple[int, int]
    """So many variables `mine` and the other run update in that step."""
    pair: Pair
    """The last update of the first of them, and what the other run holds."""


class _Variables:
    """The variables of a run: what they hold at first, and the steps in which an optimizer writes them."""

    def __init__(self, apart: Apart) -> None:
        """Takes the run."""
        self._side = apart.side
        self.updates = apart.side.written
        self._held: dict[int, list[int]] = {}
        for row in np.flatnonzero(self._side.kinds == list(Kind).index(Kind.READ)).tolist():
            for variable in self._side.site(row).reads:
                self._held.setdefault(variable, []).append(row)
        sites = self._side.program.sites.values()
        unseen = (site for site in sites if site.function != NONE or site.site not in self._side.seen_sites)
        self._written_unseen = {variable for site in unseen for variable in site.writes}

    def by_label(self, apart: Apart, step: int) -> dict[Key, int]:
        """Gives each variable by what it holds before a step, and what is computed with that, where no other does."""
        return unique(found for variable in self._held for found in self._keys(apart, variable, step))

    def _keys(self, apart: Apart, variable: int, step: int) -> Iterator[tuple[Key, int]]:
        row = self.held(variable, step)
        if apart.label[row] >= 0 and not apart.constant[row]:
            yield (int(apart.label[row]), NONE), variable
        yield from ((key, variable) for key in keys_of(apart, row))

    def name(self, variable: int) -> str:
        """Gives the name that the program has for a variable."""
        return self._side.program.variables[variable].name

    def held(self, variable: int, step: int) -> int:
        """Gives what a variable holds before a step changes it, as far as it is known."""
        rows, steps = self._held[variable], self._side.numbers.step
        before = [row for row in rows if steps[row] <= step]
        return next((row for row in before if steps[row] == step), (before or rows)[-1])

    def stays(self, variable: int, step: int) -> bool:
        """Tells whether a run computes with a variable and leaves it in a step as it was, as far as it is known."""
        numbers, held = self._side.numbers, self.held(variable, step)
        later = [row for row in self._held[variable] if numbers.step[row] > step]
        if (step, variable) in self.updates or (variable in self._written_unseen and not later):
            return False
        side = self._side
        used = any(not (side.updates[each] or side.backward[each]) for each in side.edges.children[held])
        return used and np.array_equal(
            numbers.statistics[later], numbers.statistics[[held] * len(later)], equal_nan=True
        )


_Held = _Variables | UnnamedParameters


def with_untrained(a: Apart, b: Apart, pairs: list[Pair]) -> dict[Pair, Explained]:
    """Finds the first step in which one run leaves parameters as they are; nothing where the runs part before.

    What a summary keeps of updates does not tell what they are written to.
    """
    if not all(each.side.backward.any() for each in (a, b)):
        return {}
    held = _held(a), _held(b)
    if not all(mine.updates or not each.side.updates.any() for mine, each in zip(held, (a, b), strict=True)):
        return {}
    left = next(_left(a, b, held), None)
    steps = [(int(max(a.side.time[each.a], b.side.time[each.b])), bool(b.side.kept[each.b])) for each in pairs]
    if left is None or min(steps, default=(left.step, True)) < (left.step, True):
        return {}
    return {left.pair: _explained(left)}


def _held(apart: Apart) -> _Held:
    """The parameters of a run: its variables, or tensors where it has none."""
    reads = bool((apart.side.kinds == list(Kind).index(Kind.READ)).any())
    return _Variables(apart) if reads or apart.side.written else UnnamedParameters(apart)


def _left(a: Apart, b: Apart, variables: tuple[_Held, _Held]) -> Iterator[_Left]:
    """The steps in which one run updates parameters that the other leaves as they are."""
    steps = _steps_in_common(a, b)
    named = [each.by_label(apart, steps[0]) if steps else {} for each, apart in zip(variables, (a, b), strict=True)]
    # In the order in which the program made them, whatever order their updates ran in.
    pairs = sorted({(variable, named[1][key]) for key, variable in named[0].items() if key in named[1]})
    turned = [(theirs, mine) for mine, theirs in pairs]
    changing = set[tuple[int, int]]()
    for step in steps:
        for both, (mine, other), both_ways in (
            (Both(a, b), variables, pairs),
            (Both(b, a, turned=True), variables[::-1], turned),
        ):
            left = _left_in_step((mine, other), both_ways, step, changing)
            if left:
                pair = both.pair(mine.updates[step, left[0][0]], other.held(left[0][1], step))
                names = tuple(mine.name(each) for each, _ in left)
                noted = isinstance(other, _Variables)
                yield _Left(
                    both, step, names, left[0][1] if noted else NONE, (_count(mine, step), _count(other, step)), pair
                )


def _left_in_step(
    variables: tuple[_Held, _Held],
    pairs: Sequence[tuple[int, int]],
    step: int,
    changing: set[tuple[int, int]],
) -> list[tuple[int, int]]:
    """The pairs of variables of which one run updates its own in a step, and the other does not.

    What is found to change without an update that is known is noted in `changing`, and not looked at again.
    """
    mine, other = variables
    found = []
    for pair in pairs:
        if (step, pair[0]) in mine.updates and (step, pair[1]) not in other.updates and pair not in changing:
            if other.stays(pair[1], step):
                found.append(pair)
            else:
                changing.add(pair)
    return found


def _count(variables: _Held, step: int) -> int:
    return sum(at == step for at, _ in variables.updates)


def _steps_in_common(a: Apart, b: Apart) -> list[int]:
    """The steps in whose forward passes both runs compute some of the same: there they are given the same."""
    rows_a, rows_b = (_computed_alike(each) for each in (a, b))
    step_of = np.full(max(a.label.max(initial=NONE), b.label.max(initial=NONE)) + 1, NONE, dtype=np.int64)
    step_of[a.label[rows_a]] = a.side.numbers.step[rows_a]
    steps = b.side.numbers.step[rows_b]
    result: list[int] = np.unique(steps[step_of[b.label[rows_b]] == steps]).tolist()
    return [step for step in result if step >= 0]


def _computed_alike(apart: Apart) -> Ints:
    side = apart.side
    chosen = (apart.label >= 0) & side.edges.made & (side.numbers.size > 1) & ~side.backward & ~side.updates
    rows: Ints = np.flatnonzero(chosen)
    return rows


def _explained(left: _Left) -> Explained:
    run, other = ("B", "A") if left.both.turned else ("A", "B")
    names = left.names
    them, more = "them" if len(names) > 1 else "it", f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    text = f"in step {left.step} {run} updates {', '.join(names[:_NAMED])}{more}, and {other} does not"
    gradient = _has_gradient(left)
    if gradient is False:
        text += f": no gradient reaches {them} in {other}"
    elif gradient:
        text += ": it computes the gradients" + (", and its optimizer does not take them" if left.counts[1] else "")
    suggestion = (
        f"compare where {other} cuts {them} off from the loss: a tensor that is detached, a frozen layer, or a step "
        "that is taken before the backward pass"
    )
    if gradient:
        suggestion = (
            f"give the optimizer of {other} all parameters that it has in {run}" if left.counts[1]
            else f"take the step in {other} behind the backward pass, before the gradients are set to zero"
        )  # fmt: skip
    counts = left.counts[::-1] if left.both.turned else left.counts
    pair, difference = left.pair, (AttributeDifference(_UPDATED, *counts),)
    return Explained("update", pair.a, pair.b, pair.distance, True, difference, text, suggestion)


def _has_gradient(left: _Left) -> bool | None:
    """Tells whether the other run has the gradient of the first variable; `None` where it is not known."""
    mine, other = left.both.mine, left.both.other
    noted = noted_gradients(other.side.program)
    if noted and left.variable != NONE:
        return left.variable in noted
    side, size, update = mine.side, mine.side.numbers.size, left.pair.b if left.both.turned else left.pair.a

    def back(row: int) -> Iterator[int]:
        if not side.backward[row]:
            yield from (each for each in side.edges.parents[row] if side.updates[each] or side.backward[each])

    behind = [row for row in reached(update, back, _WALKED) if side.backward[row] and size[row] == size[update]]
    return any(mine.label[row] >= 0 for row in behind) if behind else None
