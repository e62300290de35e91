"""Regions without partners: of the values that the other run has not, those whose difference lasts.

A value *recovers* if all that is made from it leads back to values that both runs have: there one run has fused, or
computes in other steps, what the other does. What is left hangs on: it ends in results that differ. A *fork* is the
first of it, made from values that both runs have.
"""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.edges import Edges


@dataclass(frozen=True)
class Regions:
    """Values that one run has and the other has not."""

    lasting: frozenset[int]
    """Values that don't recover, without constants."""
    forks: tuple[int, ...]
    """Of those the first, in the order of the run."""


def find_regions(edges: Edges, agreed: Bools, constant: Bools, settled: Bools) -> Regions:
    """Finds the values of one run whose difference lasts.

    Args:
        edges: Its data flow.
        agreed: Whether the other run has each value too.
        constant: Whether a value is a constant, which tells nothing.
        settled: Whether a value is an update. What the next step makes of it forks anew, as it does where a framework
            reads the parameter of a variable.
    """
    apart = [row for row, (equal, same) in enumerate(zip(agreed.tolist(), constant.tolist(), strict=True))
             if not equal and not same]  # fmt: skip
    lasting = _lasting(edges, apart, agreed)
    behind: set[int] = set()
    forks = []
    for row in sorted(lasting):
        parents = [parent for parent in edges.parents[row] if not constant[parent]]
        known = any(agreed[parent] for parent in parents)
        if any(parent in behind and (settled[row] or not settled[parent]) for parent in parents):
            behind.add(row)
        elif known:
            behind.add(row)
            forks.append(row)
    return Regions(frozenset(lasting), tuple(forks))


def _lasting(edges: Edges, apart: list[int], agreed: Bools) -> set[int]:
    """The values from which one comes to an end without meeting a value that both runs have."""
    left = set(apart)
    lasting = {row for row in apart if not edges.children[row]}
    waiting = list(lasting)
    while waiting:
        for parent in edges.parents[waiting.pop()]:
            if parent in left and parent not in lasting and not agreed[parent]:
                lasting.add(parent)
                waiting.append(parent)
    return lasting
