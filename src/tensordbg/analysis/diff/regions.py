"""Regions without partners: of the values that the other run has not, those whose difference lasts.

A value *recovers* if all that is made from it leads back to values that both runs have: there one run has fused, or
computes in other steps, what the other does. What is left hangs on: it ends in results that differ. A *fork* is the
first of it, made from values that both runs have.
"""

from __future__ import annotations

from dataclasses import dataclass

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
    constant, settled = marks.constant, marks.settled
    apart = [row for row, (equal, same) in enumerate(zip(agreed.tolist(), constant.tolist(), strict=True))
             if not equal and not same]  # fmt: skip
    lasting = _lasting(edges, apart, agreed, marks)
    behind: set[int] = set()
    forks = []
    for row in sorted(lasting):
        parents = [parent for parent in edges.parents[row] if not constant[parent]]
        told = [parent for parent in parents if agreed[parent] and (edges.parents[parent] or not marks.alone[parent])]
        if any(parent in behind and (settled[row] or not settled[parent]) for parent in parents):
            behind.add(row)
        elif told:
            behind.add(row)
            forks.append(row)
    return Regions(frozenset(lasting), tuple(forks))


def _lasting(edges: Edges, apart: list[int], agreed: Bools, marks: Marks) -> set[int]:
    """The values from which one comes to an end without meeting a value that both runs have.

    What goes only into what is no result is an end itself, as a gradient of the last step; but not where the
    same operation came back to equal values in another step.
    """
    children, no_result = edges.children, marks.no_result
    ends = {row for row in apart if marks.results[row] or not (children[row] or no_result[row])}
    last = {
        row for row in apart if children[row] and not no_result[row] and all(no_result[each] for each in children[row])
    }
    lasting = _before(edges, ends | last, apart, agreed, marks)
    equal_again = {int(marks.site[row]) for row in apart if row not in lasting and not no_result[row]}
    dropped = {row for row in last if int(marks.site[row]) in equal_again}
    return _before(edges, ends | (last - dropped), apart, agreed, marks) if dropped else lasting


def _before(edges: Edges, ends: set[int], apart: list[int], agreed: Bools, marks: Marks) -> set[int]:
    """What some ends were made of, as far as the other run has it not."""
    left = set(apart)
    lasting, waiting, passed = set(ends), list(ends), set[int]()
    while waiting:
        for parent in edges.parents[waiting.pop()]:
            if agreed[parent] or parent in lasting or parent in passed:
                continue
            if parent in left:
                lasting.add(parent)
                waiting.append(parent)
            elif marks.filled[parent]:
                passed.add(parent)
                waiting.append(parent)
    return lasting
