"""Running statistics: what a batch normalization keeps for evaluation, beside the values that it gives.

They are variables that are updated in the forward pass. While a layer learns, nothing that it computes is made of
them, though they go in; and frameworks keep unlike ones from equal values, with the variance of a sample or without.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.diff.edges import Edges
from tensordbg.analysis.diff.numbers import Numbers
from tensordbg.analysis.flow.values import Values
from tensordbg.model import NONE, Site
from tensordbg.operations.frameworks import TORCH

_GIVEN = 3
"""So many values a batch normalization of PyTorch gives."""
_MORE_GIVEN = {"aten::_batch_norm_with_update": 4, "aten::cudnn_batch_norm": 4}
_FORWARD = ("batch_norm", "_batch_norm_legit", "batch_norm_with_update")
_BACKWARD = "batch_norm_backward"
_KEPT = ("running_mean", "running_var")
"""What PyTorch's layers of batch normalization call the buffers of their running statistics."""


def find_copies(values: Values, numbers: Numbers, edges: Edges) -> Mapping[int, str]:
    """Finds where compiled code writes running statistics: sites, with the names of the variables that they write.

    It computes them of the operations that make up a batch normalization, and copies them into what it was given.
    """
    sites, variables = values.program.sites, values.program.variables
    copies = [each.site for each in sites.values() if _copies_in_compiled_code(each)]
    held = {
        number: variables[site.reads[0]].name
        for number, site in sites.items()
        if len(site.reads) == 1 and site.reads[0] in variables
    }
    kept = [number for number, name in held.items() if name.rpartition(".")[2] in _KEPT]
    child, parent = numbers.site[edges.child], numbers.site[edges.parent]
    copied = np.isin(child, copies) & np.isin(parent, kept)
    pairs = zip(child[copied].tolist(), parent[copied].tolist(), strict=True)
    return {number: held[read] for number, read in pairs}


def find_statistics(values: Values, numbers: Numbers, copies: Mapping[int, str]) -> Bools:
    """Marks the running statistics among the compared values: those of a variable have a site of their own.

    Args:
        values: The values of the trace.
        numbers: Those that are compared.
        copies: See `find_copies`.
    """
    never = np.iinfo(np.int64).max
    kept_from = np.full(len(values.ports.first), never, dtype=np.int64)
    for number, site in values.program.sites.items():
        if _learns(site):
            kept_from[number] = 0 if site.writes else _MORE_GIVEN.get(site.op_type, _GIVEN)
    for number in copies:
        kept_from[number] = 0
    slot = values.port[numbers.event] - values.ports.first[values.events.site[numbers.event]]
    result: Bools = slot >= kept_from[numbers.site]
    return result


def without_statistics(edges: Edges, values: Values, numbers: Numbers, copies: Mapping[int, str]) -> Edges:
    """Takes running statistics out of what is made while a layer learns; the next ones are made of those before."""
    statistics = find_statistics(values, numbers, copies)
    learns, backward = (_of_sites(values, numbers, wanted) for wanted in (_learns, _is_gradient))
    within = numbers.step[edges.child] == numbers.step[edges.parent]
    idle = (learns & ~statistics)[edges.child] | (backward[edges.child] & within)
    kept = ~(statistics[edges.parent] & idle)
    return edges.of(kept)


def _of_sites(values: Values, numbers: Numbers, wanted: Callable[[Site], bool]) -> Bools:
    """For each value whether its site is wanted."""
    table = np.zeros(len(values.ports.first), dtype=np.bool_)
    for number, site in values.program.sites.items():
        table[number] = wanted(site)
    result: Bools = table[numbers.site]
    return result


def _learns(site: Site) -> bool:
    """Whether a batch normalization computes with the statistics of its batch, and updates those that it keeps."""
    return site.op_type.endswith(_FORWARD) and json.loads(site.attributes).get("training") is True


def _copies_in_compiled_code(site: Site) -> bool:
    return site.framework == TORCH and site.function != NONE and site.op_type == "aten::copy_" and not site.backward


def _is_gradient(site: Site) -> bool:
    return site.op_type.endswith(_BACKWARD)
