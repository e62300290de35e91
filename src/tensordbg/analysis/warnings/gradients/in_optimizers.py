"""Variables that the program gave to an optimizer, and that take part in what is computed for the loss."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.columns.spread import spread
from tensordbg.analysis.warnings.gradients.without_gradient import noted_without
from tensordbg.analysis.warnings.study.study import Study


def ports_in_optimizers(study: Study) -> frozenset[int]:
    """The ports that read variables which an optimizer was given, and of which the forward pass makes anything.

    Where a result only decides or chooses, as an `argmax` does, no gradient leads back, but it takes part all the same.
    Left out are those of which the framework itself tells that no gradient came to them; another rule tells that.
    """
    told = {variable for settings in study.trace.facts.optimizers for variable in settings.variables}
    told -= noted_without(study).keys()
    ports = [port for port, variable in study.variable_of.items() if variable in told and port in study.at]
    if not ports:
        return frozenset()
    taking_part = _taking_part(study)
    return frozenset(port for port in ports if taking_part[port])


def _taking_part(study: Study) -> Bools:
    """For each port whether a loss is made of it, in whatever way."""
    edges, forward = study.ports.inputs, ~study.gradient & ~study.updating
    consumer = np.repeat(np.arange(len(study.ports.first)), np.diff(edges.starts))
    source = np.concatenate([study.wiring.source, edges.ports])
    target = np.concatenate([study.wiring.target, study.ports.first[consumer]])
    inside = forward[source] & forward[target]
    marks = study.differentiated if study.differentiated.any() else study.learning & ~study.trained_reads
    order = -np.arange(len(marks))
    return spread(marks.astype(np.int64), target[inside], source[inside], order) > 0
