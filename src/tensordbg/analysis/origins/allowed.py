"""Infinities that the program's author declared to be allowed, by the rules that stand in the trace."""

from __future__ import annotations

import numpy as np

from tensordbg.allowed import AllowRule, applicable
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.description import Program
from tensordbg.model import NONE, Site


def allowing_rule(program: Program, site: Site, has_nan: bool) -> AllowRule | None:
    """The first rule that allows what a site put out, None where none does."""
    rules = applicable(program.allow, site.op_type, site.name, program.stacks.get(site.stack, ()))
    return next((rule for rule in rules if rule.nan or not has_nan), None)


def allowed_nodes(values: Values, graph: BadGraph, nodes: Ints) -> Bools:
    """Which of some nodes of bad events are allowed."""
    result = np.zeros(len(nodes), dtype=np.bool_)
    program = values.program
    if not program.allow:
        return result
    known: dict[tuple[int, bool], bool] = {}
    for i, node in enumerate(nodes.tolist()):
        event = int(graph.event[node])
        number = int(values.ports.site[graph.port[node]])
        if event == NONE or number not in program.sites:
            continue
        key = (number, bool(values.events.nan[event]))
        if key not in known:
            known[key] = allowing_rule(program, program.sites[number], key[1]) is not None
        result[i] = known[key]
    return result
