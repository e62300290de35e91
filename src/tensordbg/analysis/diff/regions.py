"""Regions without partners: of the values that the other run has not, those whose difference lasts.

A value *recovers* if all that is made from it leads back to values that both runs have: there one run has fused, or
computes in other steps, what the other does. What is left hangs on: it ends in results that differ. A *fork* is the
first of it, made from values that both runs have.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.edges import Edges


@dataclass(frozen=True)
class Regions:
    """Values that one run has and the other has not."""

    lasting: frozenset[int]
    """Values that don't recover, without constants."""
    forks: tuple[int, ...]
    """Of those the first, in the order of the run."""


@dataclass(frozen=True)
class Marks:
    """Columns that tell of the values of one run what they are."""

    constant: Bools
    """It is a constant, which tells nothing."""
    filled: Bools
    """It is a constant other than zero: what a gradient of a mean begins with is one, and says nothing itself, but
    what is made of it does. What is to be summed up into begins with zeros."""
    settled: Bools
    """It is an update, or a running statistic. What the next step makes of it forks anew, as it does where a framework
    reads the parameter of a variable."""
    alone: Bools
    """It is a single number."""
    no_result: Bools
    """It is no result, though nothing is made of it."""
    results: Bools
    """It is a result, though something is made of it."""
    site: Ints
    """Where it was computed."""


def find_regions(edges: Edges, agreed: Bools, marks: Marks) -> Regions:
    """Finds the values of one run whose difference lasts.

    A single number that is made of nothing, such as a rate, does not make a fork of what it goes into: it may be
    equal by chance.

    Args:
        edges: Its data flow.
        agreed: Whether the other run has each value too.
        marks: What else is known of each.
    """
    lasting = _lasting(edges, ~agreed & ~marks.constant, agreed, marks)
    tells = agreed & ~marks.constant & (edges.made | ~marks.alone)
    told = lasting & edges.has_parent(tells)
    goes_on = lasting[edges.child] & lasting[edges.parent] & (marks.settled[edges.child] | ~marks.settled[edges.parent])
    flow = edges.of(goes_on)
    behind = flow.spread(told)
    forks = told & ~flow.has_parent(behind)
    return Regions(frozenset(np.flatnonzero(lasting).tolist()), tuple(np.flatnonzero(forks).tolist()))


def _lasting(edges: Edges, apart: Bools, agreed: Bools, marks: Marks) -> Bools:
    """The values from which one comes to an end without meeting a value that both runs have.

    What goes only into what is no result is an end itself, as a gradient of the last step; but not where the
    same operation came back to equal values in another step.
    """
    no_result = marks.no_result
    used = edges.has_child(np.ones(edges.count, dtype=np.bool_))
    ends = apart & (marks.results | ~(used | no_result))
    last = apart & used & ~no_result & ~edges.has_child(~no_result)
    flow = edges.of((~agreed & (apart | marks.filled))[edges.parent])
    lasting = flow.spread_back(ends | last) & apart
    equal_again = marks.site[apart & ~lasting & ~no_result]
    dropped = last & np.isin(marks.site, equal_again)
    return flow.spread_back(ends | (last & ~dropped)) & apart if dropped.any() else lasting
