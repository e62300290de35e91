"""The order in which the program says that things happen.

The order of events is that of the kernels, which run in parallel. What the program means is the order of executions,
and within one that in which its operations were traced: site numbers, seen at each level of the tree of calls, and the
iterations of loops. TensorFlow adds control edges to keep reads and writes of one variable in it.
"""

from __future__ import annotations

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE, CallKind

_AFTER = np.iinfo(np.int32).max
"""In place of an iteration: the results of a call come after all that ran in it."""


def in_program_order(values: Values, invocation: Ints, site: Ints) -> Ints:
    """Sort sites that ran.

    Args:
        values: The trace.
        invocation: Where each ran.
        site: Which ran.

    Returns:
        The positions of the first, the second and so on.
    """
    keys = [key for key in _keys(values, invocation, site) if len(key) and key.min() != key.max()]
    if not keys:
        return np.arange(len(site))
    order: Ints = np.lexsort(keys[::-1])
    return order


def _keys(values: Values, invocation: Ints, site: Ints) -> Ints:
    """What to sort by; the first row counts most."""
    invocations, places = values.invocations, values.places
    looping = np.array([*(place.kind is CallKind.WHILE for place in places.all), False])
    part, call_site = places.column("part"), places.column("call_site")
    depth = np.maximum(places.column("depth")[invocations.place[invocation]], 0)
    levels = int(depth.max(initial=0)) + 1
    keys = np.full((levels, 3, len(invocation)), NONE, dtype=np.int32)
    keys[depth, 0, np.arange(len(invocation))] = site
    called = np.flatnonzero(values.ports.followed[site])
    keys[depth[called], 1, called] = _AFTER
    inner = invocation.copy()
    for level in range(levels - 1, 0, -1):
        inside = np.flatnonzero(depth >= level)
        place = invocations.place[inner[inside]]
        keys[level - 1, 0, inside] = call_site[place]
        keys[level - 1, 1, inside] = np.where(looping[place], invocations.iteration[inner[inside]], NONE)
        keys[level - 1, 2, inside] = part[place]
        outer = values.links.outer[inner[inside]]
        inner[inside] = np.where(outer == NONE, inner[inside], outer)
    return np.concatenate([invocations.execution[invocation][np.newaxis], keys.reshape(levels * 3, -1)])
