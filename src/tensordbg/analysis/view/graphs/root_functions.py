"""The functions that a program called from Python, those that a person would look at first in front."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.view.timeline.lanes import NamedExecutions
from tensordbg.model import NONE, Function

_MOST = 200


def root_functions(opened: NamedExecutions) -> tuple[Function, ...]:
    """Those of which something is not finite first, then those of which most was recorded."""
    executions = opened.executions
    called = np.flatnonzero(executions.function != NONE)
    function = executions.function[called]
    size = int(function.max(initial=NONE)) + 1
    events = np.bincount(function, weights=opened.event_ranges.count[called], minlength=size)
    bad = np.bincount(function, weights=opened.bad.count[called], minlength=size)
    known = [each for each in np.unique(function).tolist() if each in opened.program.functions]
    known.sort(key=lambda each: (not bad[each], -float(events[each]), each))
    return tuple(opened.program.functions[each] for each in known[:_MOST])
