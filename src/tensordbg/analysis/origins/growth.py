"""Whether values grew from step to step by orders of magnitude, as they do where training diverges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tensordbg.analysis.causes.case import Growth, magnitude
from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.finding import History, InputView, TensorView
from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE, Health

_RISES = 3
"""In at least so many steps one after the other the magnitude must have grown."""

_FACTOR = 10.0
"""It must have grown by at least this much over those steps."""


_MOST_BETWEEN = 20_000
"""So many operations are looked at between two."""


Between = Callable[[int, int], str]
"""What lies between two executions: `step`, or `iteration` of a loop that Python runs."""

Size = Callable[[Health | None], float]
"""How large a tensor is, by its health."""


class EagerIterations:
    """Tells iterations of a loop that Python runs eagerly, as a recurrent network in a tape, from steps of training."""

    def __init__(self, values: Values, gradient_site: Bools) -> None:
        self._executions = values.executions
        self._gradient_site = gradient_site
        self._training = np.zeros(len(gradient_site), dtype=np.bool_)
        for site in values.program.sites.values():
            known = (values.program.variables.get(number) for number in site.writes)
            self._training[site.site] = any(each is None or each.trainable is not False for each in known)

    def between(self, first: int, last: int) -> str:
        """Names what lies between two executions: `step` or `iteration`.

        It is an iteration where nothing is trained and no function called, and where one goes on with what the other
        had computed, through as many steps of training as there are.

        Where a forward pass and its gradient alternate, a program trains what is no variable.
        """
        executions = self._executions
        begin, end = np.searchsorted(executions.number, [first, last]).tolist()
        site = np.unique(executions.site[begin:end])
        called = (executions.function[begin:end] != NONE).any()
        if called or not len(site) or self._training[site].any():
            return "iteration" if self._is_carried(begin, end) else "step"
        backward = self._gradient_site[site]
        if backward.all() or not backward.any():
            return "iteration"
        return "iteration" if self._is_carried(begin, end) else "step"

    def _is_carried(self, begin: int, end: int) -> bool:
        """Whether an eager operation was given what an earlier one had made, through forward passes alone."""
        executions = self._executions
        ahead, seen = [end], {end}
        while ahead and len(seen) < _MOST_BETWEEN:
            row = ahead.pop()
            if row == begin:
                return True
            given = executions.input_row[executions.input_starts[row] : executions.input_starts[row + 1]]
            for each in given[given >= begin].tolist():
                if each not in seen and executions.function[each] == NONE:
                    seen.add(each)
                    if not self._gradient_site[executions.site[each]]:
                        ahead.append(each)
        return False


def find_growth(inputs: Sequence[InputView], histories: Sequence[History], between: Between) -> Growth | None:
    """The input that grew most, if any grew over the last steps, or iterations of a loop, without a break."""
    found = []
    for given, history in zip(inputs, histories, strict=True):
        if given.recorded is not None:
            growth = grown(given.tensor, [*history.past, given.recorded], between)
            if growth is not None:
                found.append(growth)
    return max(found, key=lambda growth: growth.magnitudes[-1] / growth.magnitudes[0], default=None)


def grown(tensor: str, views: Sequence[TensorView], between: Between, size: Size = magnitude) -> Growth | None:
    """How a tensor grew up to the last of its views, None where it did not without a break.

    Args:
        tensor: Its name.
        views: The oldest first.
        between: Tells what lies between two executions.
        size: What has to grow of its health.
    """
    risen = _risen(views, size)
    if risen is None:
        return None
    if views[0].execution == views[-1].execution:
        return Growth(tensor, _sizes(risen, size), "iteration")
    unit = between(risen[0].execution, risen[-1].execution)
    if unit == "step" and len({view.step for view in risen}) < len(risen):
        # A loop that Python runs, which several steps have run through: either the steps tell, or the last one alone.
        largest = {view.step: view for view in sorted(views, key=lambda view: size(view.health))}
        over_steps = _risen([largest[step] for step in sorted(largest)], size)
        risen = over_steps or _risen([view for view in views if view.step == views[-1].step], size)
        unit = "step" if over_steps else "iteration"
    return None if risen is None else Growth(tensor, _sizes(risen, size), unit)


def _risen(views: Sequence[TensorView], size: Size) -> Sequence[TensorView] | None:
    """The last of some tensors, each larger than the one before, if they have grown enough."""
    sizes = _sizes(views, size)
    begin = len(sizes) - 1
    while begin > 0 and 0 < sizes[begin - 1] < sizes[begin]:
        begin -= 1
    enough = len(sizes) - begin > _RISES and sizes[-1] >= _FACTOR * sizes[begin]
    return views[begin:] if enough else None


def _sizes(views: Sequence[TensorView], size: Size) -> tuple[float, ...]:
    return tuple(size(view.health) for view in views)
