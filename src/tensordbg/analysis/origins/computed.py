"""Which bad values the framework computed: the others are data that it was given, cut, shuffled and handed on."""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.traits import Trait

_GIVING = (Trait.MOVES, Trait.FROM_OUTSIDE, Trait.FROM_PIPELINE)


def computed_events(values: Values, graph: BadGraph) -> Ints:
    """Returns the bad events that an operation made of other numbers, or that were handed on from such."""
    sites = values.program.sites
    computing = np.zeros(len(values.ports.first), dtype=np.bool_)
    for site in sites.values():
        made = operation_of(site)
        hands_on = any(made.has(trait) for trait in _GIVING)
        computing[site.site] = not hands_on and site.argument == NONE
    # What has no event is handed on, as by a call, from what has one.
    marks = (graph.event != NONE) & computing[values.ports.site[graph.port]]
    reached = graph.descend(marks.astype(np.int64)) != 0
    events: Ints = graph.event[reached & (graph.event != NONE)]
    return events
