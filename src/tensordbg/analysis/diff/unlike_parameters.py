"""Parameters that are not the same, of which one is a constant, as zeros, or begins as what the other run has, too.

No value that only one run has tells of them: zeros are those of any other bias, to add them changes nothing, and a
weight that is scaled before it is used is made of one that both runs have drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair, distance_of
from tensordbg.analysis.diff.beginnings import Unlike
from tensordbg.analysis.diff.wording import SUGGESTIONS, Explained
from tensordbg.operations.kinds import Kind

_READ = list(Kind).index(Kind.READ)
_ADDING = frozenset({Kind.ADD, Kind.ADD_BIAS})
_ALL_ONE_NUMBER = "one all of whose elements are one number"


def constant_parameter(a: Apart, b: Apart, pair: Pair, read: tuple[list[Unlike], list[Unlike]]) -> Explained | None:
    """A parameter of one run, where all elements of the other's are one number, as of a bias that was not loaded."""
    if len(read[0]) + len(read[1]) != 1:
        return None
    both = Both(a, b) if read[0] else Both(b, a, turned=True)
    row, of_other = (read[0][0].row, pair.b) if read[0] else (read[1][0].row, pair.a)
    size = both.mine.side.numbers.size[row]
    alike = (each for each in both.other.side.edges.parents[of_other]
             if both.other.side.numbers.size[each] == size and both.other.constant[each])  # fmt: skip
    partner = next(alike, None)
    return (
        None if partner is None else _explained(both, row, partner, _type(a, pair.a) if read[0] else _type(b, pair.b))
    )


def unlike_parameter(a: Apart, b: Apart, pair: Pair) -> Explained | None:
    """Tells of two parameters that operations of both runs take, each of which the other run has as well."""
    for both, row, other, extra in (
        (Both(a, b), pair.a, pair.b, pair.extra_a),
        (Both(b, a, turned=True), pair.b, pair.a, pair.extra_b),
    ):
        found = next(_pairs(both, row, other, extra), None)
        if found is not None:
            return _explained(both, *found, _type(both.mine, row))
    return None


def _pairs(both: Both, row: int, other: int, extra: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """The parameters of an operation, and those of its counterpart that stand in their place."""
    taken = both.mine.taken(row), both.other.taken(other)
    own = [each for each in _parameters(both.mine, (row, *extra)) if int(both.mine.label[each]) not in taken[1]]
    theirs = [each for each in _parameters(both.other, (other,)) if int(both.other.label[each]) not in taken[0]]
    size_a, size_b = (each.side.numbers.size for each in (both.mine, both.other))
    for parameter in own:
        of_size = (each for each in theirs if size_a[parameter] == size_b[each])
        yield from ((parameter, each) for each in of_size if _is_elsewhere(both, parameter, each))
        if any(parameter in both.mine.side.edges.parents[each] for each in extra):
            yield from ((parameter, each) for each in _added_in_vain(both.other, int(size_a[parameter])))


def _is_elsewhere(both: Both, mine: int, other: int) -> bool:
    """Tells whether one of two parameters holds what the other run has as well, if for another one, or one number."""
    sides = (both.mine, mine), (both.other, other)
    return any(apart.label[row] >= 0 or apart.constant[row] for apart, row in sides)


def _parameters(apart: Apart, rows: tuple[int, ...]) -> list[int]:
    """The parameters among some values, and what these take."""
    side = apart.side
    near = [*rows, *(parent for row in rows for parent in side.edges.parents[row])]
    return [each for each in near if side.kinds[each] == _READ and side.numbers.size[each] > 1]


def _added_in_vain(apart: Apart, size: int) -> Iterator[int]:
    """The parameters of a size that are all zeros and added to something, so that nothing tells of the sum."""
    side = apart.side
    zeros = apart.constant & (side.kinds == _READ) & (side.numbers.size == size)
    for row in np.flatnonzero(zeros).tolist():
        if any(side.operation(child).kind in _ADDING for child in side.edges.children[row]):
            yield row


def _explained(both: Both, mine: int, other: int, taker: str) -> Explained:
    run, constant = "B" if both.turned else "A", (both.mine.constant[mine], both.other.constant[other])
    if any(constant):
        given = f"{_ALL_ONE_NUMBER}, and the other run one of several" if constant[0] else (
            f"a parameter, and the other run {_ALL_ONE_NUMBER}"
        )  # fmt: skip
        text = f"{taker} of {run} is given {given}"
    else:
        text = f"{taker} of {run} is given a parameter that is not that of the other run; all else that goes in agrees"
    pair = both.pair(mine, other)
    distance = distance_of(*(both.other, both.mine) if both.turned else (both.mine, both.other), pair.a, pair.b)
    return Explained("parameter", pair.a, pair.b, distance, False, (), text, SUGGESTIONS["parameter"])


def _type(apart: Apart, row: int) -> str:
    return apart.side.site(row).op_type
