"""Gradients that cancel by design: what rounding leaves of a sum that is zero.

A bias before a batch normalization is taken away again with the mean, and one of an attention's keys shifts all scores
alike: nothing depends on them, whatever they are. Their gradient is a sum over rows and positions of numbers that
cancel, and holds no more than their rounding. Where a layer is used several times in a step, as by two views of one
picture, the gradient is a sum of such sums.
"""

from __future__ import annotations

from tensordbg.analysis.program.operations import named
from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.analysis.warnings.study.trends import root_mean_square
from tensordbg.operations.kinds import Kind

_ROUNDING = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "float64": 2.0**-53}
"""By type; float32's is that of all others."""
_FARTHEST = 64
_ADDING = frozenset({Kind.ADD, Kind.ADD_MANY})
_OF_ALL = 8.0
"""So many times the rounding of a sum whose terms all have one sign counts for rounding still."""


def is_rounding(study: Study, gradient: int) -> bool:
    """Whether a series of a gradient holds only what rounding leaves of the sum, or of each of the sums, that it is."""
    uses = _uses(study, gradient)
    return bool(uses) and all(_is_left_of_sum(study, each) for each in uses)


def _uses(study: Study, gradient: int) -> list[int]:
    """The gradients that one is added up of, by the uses of its variable; itself, where it is of one use."""
    found, ahead = list[int](), [gradient]
    seen = {gradient}
    while ahead and len(seen) < _FARTHEST:
        k = ahead.pop()
        added = _added(study, k) if named(study.site(k).op_type).kind in _ADDING else []
        if not added:  # sums of one line have one port
            found.append(k)
        else:
            ahead += [each for each in added if each not in seen]
            seen.update(added)
    return found


def _added(study: Study, k: int) -> list[int]:
    """The gradients of as many elements that one is the sum of."""
    before = [nearest(study, each) for each in study.wiring.parents(int(study.port[k])) if study.gradient[each]]
    series = [study.at[each][0] for each in before if each in study.at]
    return [each for each in series if each != k and _elements(study, each) == _elements(study, k)]


def _elements(study: Study, k: int) -> int:
    """How many elements a tensor has, of which there may be several in a step."""
    first = study.series.starts[k]
    return int(study.series.size[first]) // max(1, int(study.series.turns[first]))


def _is_left_of_sum(study: Study, gradient: int) -> bool:
    series = study.series
    own, size = float(series.magnitude[series.rows(gradient)].max()), int(series.size[series.starts[gradient]])
    unit = _ROUNDING.get(study.words[0][gradient], 2.0**-24)
    for port in study.wiring.parents(int(study.port[gradient])):
        if not study.gradient[port]:
            continue
        for k in study.at.get(nearest(study, port), [])[:1]:
            terms, rest = divmod(int(series.size[series.starts[k]]), size)
            if terms > 1 and not rest:
                return own <= _OF_ALL * unit * terms * float(root_mean_square(study, series.rows(k)).max())
    return False
