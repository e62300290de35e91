"""Normalizations that compiled kernels compute and of which they store a root, as the backward pass needs it.

The graph of the kernel tells the rest: the number that is added, what is averaged, and whether a mean is taken off.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from tensordbg.analysis.diff.fused import fused_before, inputs_of, is_fused
from tensordbg.analysis.diff.normalization import INSIDE, OUTSIDE, REDUCING, ROOTS, Normalization
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind

_SUMS = (Kind.ADD, Kind.MAXIMUM)


def in_kernel(side: Side, root: int) -> Normalization | None:
    """Reads the normalization whose root a kernel stores; `None` where it is the root of something else."""
    number = int(side.numbers.site[root])
    if side.backward[root] or side.updates[root] or side.operation(root).kind not in ROOTS:
        return None
    before = list(_before(side, number))
    at = next((at for at, site in enumerate(before) if operation_of(site).kind in REDUCING), None)
    if at is None:
        return None
    inside = next(_added(side, before[:at]), None)
    outside = next(_added(side, _following(side, number)), None)
    epsilon, place = (
        (inside, INSIDE) if inside is not None else (outside, OUTSIDE) if outside is not None else (0.0, "")
    )
    averaged, beyond = before[at], [operation_of(site).kind for site in before[at:]]
    varies = operation_of(averaged).kind is Kind.STANDARD_DEVIATION
    correction = json.loads(averaged.attributes).get("correction") if varies else 0
    return Normalization(
        epsilon or 0.0,
        place,
        correction if isinstance(correction, int) else None,
        root,
        whole=False,
        training=True,
        parts=int(side.numbers.size[root]),
        centred=varies or (Kind.SUBTRACT in beyond and beyond.count(Kind.MEAN) > 1),
    )


def is_rooted_in_kernel(side: Side, row: int) -> bool:
    """Tells whether a graph takes a root of a value, maybe behind a sum with a number that a kernel keeps to itself."""
    taking = list(_taking(side, int(side.numbers.site[row])))
    sums = (site for site in taking if is_fused(site) and operation_of(site).kind in _SUMS)
    behind = (each for site in sums for each in _taking(side, site.site))
    return any(operation_of(site).kind in ROOTS for site in (*taking, *behind))


def _before(side: Side, number: int) -> Iterator[Site]:
    """What kernels alone know of the way to a root, and behind that the means that it begins with, where stored."""
    fused = list(fused_before(side.values, number))
    yield from fused
    given = (each for taking in (number, *(site.site for site in fused)) for each in inputs_of(side.values, taking))
    stored = (side.program.sites[each] for each in dict.fromkeys(given))
    yield from (site for site in stored if not is_fused(site) and operation_of(site).kind in REDUCING)


def _added(side: Side, sites: Iterable[Site]) -> Iterator[float]:
    """The numbers that sums of a kernel are taken with."""
    sums = (site for site in sites if operation_of(site).kind in _SUMS)
    for given in (side.program.sites[each] for site in sums for each in inputs_of(side.values, site.site)):
        value = json.loads(given.attributes).get("value")
        if isinstance(value, float):
            yield value


def _following(side: Side, number: int) -> Iterator[Site]:
    """What a kernel makes of the result of a site and keeps to itself."""
    return (site for site in _taking(side, number) if is_fused(site))


def _taking(side: Side, number: int) -> Iterator[Site]:
    """The operations of a graph that take the result of one of them."""
    function = side.program.sites[number].function
    inside = () if function == NONE else side.program.sites_of_graph[function]
    return (site for site in inside if number in inputs_of(side.values, site.site))
