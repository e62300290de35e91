"""Whether two runs reproduce each other to the bit: one program, run twice, or with a line changed.

What makes the same of the same inputs in most places is deterministic: where it does not, something differs, be it
smaller than a rounding of half precision. Two frameworks, and eager and compiled code, never get so far.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.matching import Partners
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.operations import operation_of
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_FEW = 2
"""So many operations, or as many as give the same to the bit, may not: those are what differs for a reason."""
_COMMON = 0.7
"""The share of the operations of each run that the other has too, by type and size."""
_NO_EVIDENCE = frozenset({Kind.READ, Kind.ARGUMENT, Kind.CAST})


def reproduces(a: Side, b: Side, near: Partners) -> bool:
    """Tells whether B computes the same as A to the bit wherever it is given the same.

    Args:
        a: The reference.
        b: The other run.
        near: Of each value of B the nearest of A.
    """
    equal: Bools = near.distance == 0
    if a.numbers.rounding != b.numbers.rounding:
        return False
    telling, size = _telling(b), b.numbers.size
    given = b.edges.has_parent(size > 1) & ~b.edges.has_parent(~equal)
    local = telling & given & ~b.kept
    unlike, same = int((local & ~equal).sum()), int((local & equal).sum())
    return unlike <= max(_FEW, same) and _have_in_common(a, b)


def _telling(side: Side) -> Bools:
    """Whether each value is computed by an operation that rounds, and not only handed on."""
    table = np.zeros(len(side.values.ports.first), dtype=np.bool_)
    for each in side.program.sites.values():
        operation = operation_of(each)
        table[each.site] = operation.kind not in _NO_EVIDENCE and not operation.has(Trait.REARRANGES)
    result: Bools = table[side.numbers.site]
    return result


def _have_in_common(a: Side, b: Side) -> bool:
    """Tells whether most operations of each run are also in the other, so that both compute in the same steps."""
    counted = [_counted(side) for side in (a, b)]
    shared = (counted[0] & counted[1]).total()
    return all(shared >= _COMMON * each.total() for each in counted)


def _counted(side: Side) -> Counter[tuple[str, str, int]]:
    first = side.numbers.step.min(initial=0)
    rows = np.flatnonzero((side.numbers.step == first) & ~side.updates).tolist()
    sites = [side.site(row) for row in rows]
    sizes = side.numbers.size[rows].tolist()
    return Counter((site.framework, site.op_type, size) for site, size in zip(sites, sizes, strict=True))
