"""Parameters of a program that has no objects for them: tensors in a list, which it updates itself.

The data flow tells them: a forward pass computes with such a tensor, an update of its size is made of it, and the next
step begins with that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.apart import Apart
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.diff.wording import place_of
from tensordbg.model import NONE

_WALKED = 64
"""So many updates are looked at from one value on."""
Key = tuple[int, int]
"""The label of what a parameter holds, and that of what a forward pass makes of it first, `NONE` for any."""


class UnnamedParameters:
    """The tensors that a run updates or only computes with, by the rows that they begin with."""

    def __init__(self, apart: Apart) -> None:
        """Takes the run."""
        self._side = side = apart.side
        self.updates: dict[tuple[int, int], int] = {}
        self._held: dict[int, list[tuple[int, int]]] = {}
        first = int(side.numbers.step.min(initial=0))
        rows = np.flatnonzero((side.numbers.step == first) & ~(side.backward | side.updates)).tolist()
        for row in rows:
            if used_by(side, row):
                self._held[row] = [(NONE, row), *self._updated(row)]

    def _updated(self, begins: int) -> Iterator[tuple[int, int]]:
        """The steps behind which a tensor is another, and the rows that it has then."""
        update = _update_of(self._side, begins, NONE)
        while update is not None:
            step = int(self._side.numbers.step[update])
            self.updates[step, begins] = update
            yield step + 1, update
            update = _update_of(self._side, update, step)

    def by_label(self, apart: Apart, step: int) -> dict[Key, int]:
        """Gives each tensor by what it holds before a step and what is computed with that, where it is the only one."""
        return unique((key, each) for each in self._held for key in keys_of(apart, self.held(each, step)))

    def held(self, number: int, step: int) -> int:
        """Gives what a tensor holds before a step changes it."""
        return [row for begins, row in self._held[number] if begins <= step][-1]

    def stays(self, number: int, step: int) -> bool:
        """Tells whether a run computes with a tensor and leaves it in a step as it was."""
        side, held = self._side, self.held(number, step)
        if (step, number) in self.updates:
            return False
        later = [each for each in used_by(side, held) if side.numbers.step[each] > step]
        return bool(used_by(side, held)) and (bool(later) or step == int(side.numbers.step.max()))

    def name(self, number: int) -> str:
        """Names a tensor by what computes with it."""
        side = self._side
        user = next(iter(used_by(side, number)))
        line = side.own_line(side.site(user))
        shape = ", ".join(map(str, side.shape(number) or ()))
        place = "" if line is None else f" in {place_of(line)}"
        return f"the tensor [{shape}] that {side.site(user).op_type} takes{place}"


def used_by(side: Side, row: int) -> list[int]:
    """Lists the values that a forward pass makes of one."""
    return [each for each in side.edges.children[row] if not (side.updates[each] or side.backward[each])]


def keys_of(apart: Apart, row: int) -> Iterator[Key]:
    """The labels by which what a parameter holds is told from all else of its run, also where it is all zeros."""
    label = int(apart.label[row])
    if label < 0:
        return
    for each in used_by(apart.side, row):
        if apart.label[each] >= 0 and apart.label[each] != label:
            yield label, int(apart.label[each])


def unique(found: Iterable[tuple[Key, int]]) -> dict[Key, int]:
    """Leaves out what several have."""
    several: dict[Key, set[int]] = {}
    for key, each in found:
        several.setdefault(key, set()).add(each)
    return {key: next(iter(each)) for key, each in several.items() if len(each) == 1}


def _update_of(side: Side, row: int, behind: int) -> int | None:
    """The last update of its size that is made of a value in the first step behind another, if any.

    Several may be made of it, as a mean over steps is beside the parameter: what a forward pass goes on from counts.
    """
    size, steps = side.numbers.size, side.numbers.step
    made = [each for each in side.edges.children[row] if _follows(side, row, each) and steps[each] > behind]
    if not made:
        return None
    step = min(int(steps[each]) for each in made)

    def on(each: int) -> Iterator[int]:
        return (child for child in side.edges.children[each]
                if _follows(side, row, child) and steps[child] == step)  # fmt: skip

    found = [each for each in reached(row, on, _WALKED) if each != row and size[each] == size[row]]
    return max((each for each in found if used_by(side, each)), default=max(found))


def _follows(side: Side, row: int, update: int) -> bool:
    sizes: Ints = side.numbers.size
    return bool(side.updates[update] and sizes[update] == sizes[row])
