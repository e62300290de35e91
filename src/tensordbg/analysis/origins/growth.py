"""Whether values grew from step to step by orders of magnitude, as they do where training diverges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tensordbg.analysis.causes.case import Growth, magnitude
from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.finding import History, InputView, TensorView
from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE

_RISES = 3
"""In at least so many steps one after the other the magnitude must have grown."""

_FACTOR = 10.0
"""It must have grown by at least this much over those steps."""


Between = Callable[[int, int], str]
"""What lies between two executions: `step`, or `iteration` of a loop that Python runs."""


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

        It is an iteration where nothing is trained and no function called.

        Where a forward pass and its gradient alternate, a program trains what is no variable.
        """
        executions = self._executions
        rows = slice(*np.searchsorted(executions.number, [first, last]).tolist())
        site = np.unique(executions.site[rows])
        if (executions.function[rows] != NONE).any() or not len(site) or self._training[site].any():
            return "step"
        backward = self._gradient_site[site]
        return "iteration" if backward.all() or not backward.any() else "step"


def find_growth(inputs: Sequence[InputView], histories: Sequence[History], between: Between) -> Growth | None:
    """The input that grew most, if any grew over the last steps, or iterations of a loop, without a break."""
    found = []
    for given, history in zip(inputs, histories, strict=True):
        if given.recorded is not None:
            growth = _growth(given.tensor, [*history.past, given.recorded], between)
            if growth is not None:
                found.append(growth)
    return max(found, key=lambda growth: growth.magnitudes[-1] / growth.magnitudes[0], default=None)


def _growth(tensor: str, views: Sequence[TensorView], between: Between) -> Growth | None:
    sizes = [magnitude(view.health) for view in views]
    begin = len(sizes) - 1
    while begin > 0 and 0 < sizes[begin - 1] < sizes[begin]:
        begin -= 1
    run = tuple(sizes[begin:])
    if len(run) <= _RISES or run[-1] < _FACTOR * run[0]:
        return None
    if views[0].execution == views[-1].execution:
        return Growth(tensor, run, "iteration")
    return Growth(tensor, run, between(views[begin].execution, views[-1].execution))
