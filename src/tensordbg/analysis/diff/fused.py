"""Operations that compiled kernels compute without keeping what they make: it is never stored.

A kernel may store what only rearranges such a result, as a copy of a sum: then the copy stands for the sum.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.edges import reached
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import FUSED, NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_WALKED = 200
"""So many operations of a graph are walked back through."""


def is_fused(site: Site) -> bool:
    """Tells whether a kernel keeps what an operation makes to itself."""
    return FUSED in site.attributes and bool(json.loads(site.attributes).get(FUSED))


def stand_ins(values: Values) -> Ints:
    """Gives for each site the one whose result it stores; itself where it stores its own.

    That of a rearrangement is what is rearranged, where no other value of that is kept.
    """
    result = np.arange(len(values.ports.first), dtype=np.int64)
    sites = values.program.sites
    if any(is_fused(each) for each in sites.values()):
        for number, site in sites.items():
            if site.function != NONE and _rearranges(site) and not is_fused(site):
                result[number] = _computed(values, number)
    return result


def _computed(values: Values, stores: int) -> int:
    """The operation that only a kernel knows and whose result a site rearranges; the site itself without one."""
    sites, number = values.program.sites, stores
    for _ in range(_WALKED):
        given = inputs_of(values, number)
        if not given or not is_fused(sites[given[0]]):
            return stores
        number = given[0]
        if not _rearranges(sites[number]):
            return number
    return stores


def _rearranges(site: Site) -> bool:
    operation = operation_of(site)
    return operation.has(Trait.PASSES) or operation.kind is Kind.BROADCAST


def inputs_of(values: Values, number: int) -> list[int]:
    """The sites in a graph whose results an operation takes, in order."""
    ports = values.ports.inputs.of(number)
    return [int(site) for site in values.ports.site[ports[ports != NONE]].tolist()]


def fused_before(values: Values, number: int) -> Iterator[Site]:
    """Finds what is computed in kernels alone on the way to the result of an operation, the nearest first."""
    sites = values.program.sites

    def back(each: int) -> list[int]:
        return [given for given in inputs_of(values, each) if is_fused(sites[given])]

    found = (sites[each] for each in reached(number, back, _WALKED))
    return (each for each in found if is_fused(each) and not _rearranges(each))
