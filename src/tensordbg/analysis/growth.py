"""Whether values grew from step to step by orders of magnitude, as they do where training diverges."""

from __future__ import annotations

from collections.abc import Sequence

from tensordbg.analysis.causes.case import Growth, magnitude
from tensordbg.analysis.finding import History, InputView, TensorView

_RISES = 3
"""In at least so many steps one after the other the magnitude must have grown."""

_FACTOR = 10.0
"""It must have grown by at least this much over those steps."""


def find_growth(inputs: Sequence[InputView], histories: Sequence[History]) -> Growth | None:
    """The input that grew most, if any grew over the last steps without a break."""
    found = []
    for given, history in zip(inputs, histories, strict=True):
        if given.recorded is not None:
            growth = _growth(given.tensor, [*history.past, given.recorded])
            if growth is not None:
                found.append(growth)
    return max(found, key=lambda growth: growth.magnitudes[-1] / growth.magnitudes[0], default=None)


def _growth(tensor: str, views: Sequence[TensorView]) -> Growth | None:
    sizes = [magnitude(view.health) for view in views]
    begin = len(sizes) - 1
    while begin > 0 and 0 < sizes[begin - 1] < sizes[begin]:
        begin -= 1
    run = tuple(sizes[begin:])
    if len(run) <= _RISES or run[-1] < _FACTOR * run[0]:
        return None
    return Growth(tensor, run, "step" if views[0].execution != views[-1].execution else "iteration")
