"""Parameters of unlike steps that are equal by chance: a step of twice the rate is as far as two steps.

Of a linear loss the gradients are the same in each step, so a parameter of B behind its first step may be what A has
behind its second. Where both runs take as many steps, what an optimizer makes in one of them is no partner of what it
makes in another, nor of what is read of that.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.diff.matching import Partners, find_partners
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

_SEVERAL = 2
Ages = tuple[Ints, Ints]


def find_ages(a: Side, b: Side) -> Ages | None:
    """Gives for the values of both runs the number of steps behind which they are; None where steps don't correspond.

    It is known of updates, and of what is read of them; `NONE` for all others, and for what an update leaves as it is.
    """
    steps = [np.unique(side.numbers.step[side.updates]) for side in (a, b)]
    if len(steps[0]) < _SEVERAL or not np.array_equal(steps[0], steps[1]):
        return None
    return _ages(a), _ages(b)


def _ages(side: Side) -> Ints:
    """Gives the ages of values: what is made is behind its step, and what is read before its own."""
    numbers, reads = side.numbers, _reads(side)
    key = mixed(numbers.size, *np.ascontiguousarray(numbers.statistics).view(np.int64).T)
    made = side.updates & side.edges.made
    known = np.flatnonzero(made | reads)
    age = np.where(made, numbers.step + 1, side.time)[known]
    order = np.lexsort((age, key[known]))
    keys, first = np.unique(key[known][order], return_index=True)
    last = np.append(first[1:], len(order)) - 1
    single = np.where(age[order[first]] == age[order[last]], age[order[first]], NONE)
    at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    told = (keys[at] == key) & (made | ~side.edges.made)
    result: Ints = np.where(told, single[at], NONE)
    return result


def _reads(side: Side) -> Bools:
    """Marks what is read of variables, where one function makes all updates: several take their steps in turns."""
    sites = side.program.sites
    functions = {sites[site].function for site in np.unique(side.numbers.site[side.updates]).tolist()}
    only = functions.pop() if len(functions) == 1 else NONE
    read = side.of_sites(lambda site: site.function == only != NONE and operation_of(site).kind is Kind.READ)
    return read & ~side.updates


def without_shifted(sides: tuple[Side, Side], group: Ages, near: Partners, ages: Ages) -> Partners:
    """Exchanges partners that are behind another number of steps for the nearest that are not."""
    (mine, theirs), other = sides, np.append(ages[1], NONE)[near.row]
    rows = np.flatnonzero((ages[0] != NONE) & (other != NONE) & (ages[0] != other))
    if not len(rows):
        return near
    groups = mixed(group[0][rows], ages[0][rows]), mixed(group[1], ages[1])
    found = find_partners(mine.numbers.of(rows), theirs.numbers, groups, (mine.kinds[rows], theirs.kinds))
    row, distance = near.row.copy(), near.distance.copy()
    row[rows], distance[rows] = found.row, found.distance
    return Partners(row, distance)
