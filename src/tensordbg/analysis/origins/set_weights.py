"""Infinities that were set as weights: what is written into a variable that is trained is no mask and no first value.

A mask, or a best value so far, holds infinities of one sign. So what holds both signs, or stands as infinities
throughout in a variable that an optimizer updates, is trouble that came in there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.graph import BadGraph
from tensordbg.analysis.flow.put_in_part import put_into, puts_as_it_is
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.flow.variables import Variables
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import operation_of, writes_variables
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import is_in_place
from tensordbg.operations.traits import Trait

_WRITTEN, _UPDATED = 1, 2


def set_as_weights(values: Values, variables: Variables, graph: BadGraph, nodes: Ints, details: Details) -> Bools:
    """Which of some nodes of infinite values were written into variables that are trained."""
    put = _written_into(values, variables, graph)[nodes]
    rows = details.columns(graph.event[nodes], ["size", "pos_inf", "neg_inf"])
    both = np.array([bool(row["pos_inf"] and row["neg_inf"]) for row in rows], dtype=np.bool_)
    whole = np.array([row["size"] in (row["pos_inf"], row["neg_inf"]) for row in rows], dtype=np.bool_)
    result: Bools = (both & (put > 0)) | (whole & (put >= _UPDATED))
    return result


def _written_into(values: Values, variables: Variables, graph: BadGraph) -> Ints:
    """For each node the marks of the variables into which it was written as it is, or after it was copied."""
    marks = np.zeros(len(graph), dtype=np.int64)
    copying = np.zeros(len(graph), dtype=np.bool_)
    sites = values.ports.site[graph.port]
    for number in np.unique(sites).tolist():
        site = values.program.sites.get(number)
        if site is None:
            continue
        mark, at = _mark(values, variables, site), sites == number
        marks[at] |= mark
        copying[at] = bool(mark) or operation_of(site).has(Trait.MOVES) or operation_of(site).kind is Kind.CAST
    kept = copying[graph.child]
    return replace(graph, child=graph.child[kept], parent=graph.parent[kept]).ascend(marks)


def _mark(values: Values, variables: Variables, site: Site) -> int:
    """Says whether a site sets a variable that is trained, and whether that is updated besides.

    What memory holds when it is first read as a variable's was set before.
    """
    sets = writes_variables(site) or puts_as_it_is(site) or operation_of(site).kind is Kind.READ
    if not sets or operation_of(site).has(Trait.BUILDS_ON_OLD):
        return 0
    known = [each for each in site.writes or put_into(values, site) or site.reads if each in values.program.variables]
    trained = [each for each in known if values.program.variables[each].trainable]
    updated = any(_is_updated(values, variables, each) for each in trained)
    return (_WRITTEN if trained else 0) | (_UPDATED if updated else 0)


def _is_updated(values: Values, variables: Variables, variable: int) -> bool:
    """Whether something builds on what a variable held, as the update of an optimizer does."""
    writers = (values.program.sites[site] for site in variables.writers.get(variable, ()))
    return any(operation_of(site).has(Trait.BUILDS_ON_OLD) or _changes_in_place(values, site) for site in writers)


def _changes_in_place(values: Values, site: Site) -> bool:
    """Whether an eager operation in place computes with more than one value: the old one, and what changes it."""
    executions = values.executions
    taken = np.diff(executions.input_starts)[executions.site == site.site]
    return is_in_place(site.op_type) and not puts_as_it_is(site) and bool((taken > 1).any())
