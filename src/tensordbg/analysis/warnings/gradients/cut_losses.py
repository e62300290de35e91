"""The line at which a loss is cut from what is to be trained, which `backward` and optimizers don't tell.

It is looked for on the way back from what was differentiated, among what is made of the variables.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.failures.beginnings.cuts import CUTS, has_slope
from tensordbg.analysis.failures.beginnings.made import Made, walk_back
from tensordbg.analysis.failures.beginnings.recorded import RecordedPast
from tensordbg.analysis.program.events import row_of
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.model import NONE


def where_cut(study: Study, variables: Iterable[int]) -> str:
    """A sentence on where it is; empty where it can't be told.

    Args:
        study: The trace.
        variables: Those that no gradient reaches.
    """
    losses = [study.at[port][0] for port in np.flatnonzero(study.differentiated).tolist() if port in study.at]
    if len(losses) != 1:
        return ""
    event = int(study.series.event[study.series.starts[losses[0] + 1] - 1])
    number = study.trace.take(np.array([event]), ["execution"]).column("execution").to_pylist()[0]
    row = NONE if number is None else int(row_of(study.executions.number, np.array([number]))[0])
    if row == NONE:
        return ""
    past = RecordedPast(study.trace, study.program, study.executions, row)
    loss, made_of = past.at(event), _made_of(study, frozenset(variables))
    for made, inputs in walk_back(past, [loss]) if loss is not None else ():
        given = [each for each in inputs if has_slope(each) and made_of[study.ports.first[past.site_of(each)]]]
        if given and (words := _cuts(made, given[0])):
            return words
    return ""


def _made_of(study: Study, variables: frozenset[int]) -> Bools:
    marked = np.zeros(len(study.ports.site), dtype=np.bool_)
    marked[[port for port, variable in study.variable_of.items() if variable in variables]] = True
    return study.wiring.descendants(marked)


def _cuts(made: Made, given: Made) -> str:
    place = f" ({made.source.place}, `{made.source.text}`)" if made.source is not None else ""
    if not has_slope(made):
        return f" {made.tensor}{place} made {made.dtype} of {given.dtype}, and no gradient goes through that."
    found = None if made.source is None else CUTS.search(made.source.text)
    return "" if found is None else f" `{found[0].rstrip('(')}` cuts it off{place}."
