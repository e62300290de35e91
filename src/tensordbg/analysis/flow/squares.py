"""Squares of differences that the runtime computes in one operation, under the name of the difference.

In a run of a TensorFlow 1 graph that takes `tf.square(a - b)` alone, the difference has become its square and the
square is gone. What is recorded as `a - b` then is `(a - b) ** 2`, and may overflow where no difference would.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.operations import operation_of, type_of
from tensordbg.model import NONE, Site, TensorRef
from tensordbg.operations.kinds import Kind
from tensordbg.trace.program.catalog import KnownSites

_SQUARING = {Kind.MULTIPLY: 2, Kind.POWER: 2, Kind.SQUARE: 1}
"""Kinds of operations that may be squares, with the number of their inputs."""


def with_fused_squares(program: Program, seen: Ints) -> Program:
    """Describes such differences in the program as what they were computed as: squares.

    Args:
        program: The program.
        seen: The sites that have events.
    """
    fused = dict(_fused(program, frozenset(np.unique(seen).tolist())))
    if not fused:
        return program
    squared = {site: _as_squared(program.sites[site]) for site in fused.values()}
    edges = program.edges.copy()
    for square, difference in fused.items():
        edges[program.edges[:, 2] == square, 2] = difference
    return replace(program, sites=KnownSites({**program.sites, **squared}), edges=edges)


def _as_squared(site: Site) -> Site:
    return replace(site, op_type=type_of(Kind.SQUARED_DIFFERENCE, site.framework))


def _fused(program: Program, seen: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Each square without events whose difference has some, and is taken by nothing else; with that difference."""
    for site in program.sites.values():
        given = program.inputs_of(site.site) if operation_of(site).kind in _SQUARING and site.site not in seen else []
        of = program.sites[given[0].site] if given and given[0].site in seen else None
        if (
            len(given) != _SQUARING.get(operation_of(site).kind)
            or of is None
            or operation_of(of).kind is not Kind.SUBTRACT
            or of.function == NONE
            or not _squares(program, site, given)
        ):
            continue
        takers = program.edges[program.edges[:, 2] == of.site, 0]
        if (takers == site.site).all():
            yield site.site, of.site


def _squares(program: Program, site: Site, given: list[TensorRef]) -> bool:
    """Whether an operation is the square of what it takes first."""
    kind = operation_of(site).kind
    if kind is Kind.POWER:
        exponent = json.loads(program.sites[given[1].site].attributes).get("value")
        return bool(exponent == 2)
    return kind is Kind.SQUARE or given[0] == given[1]
