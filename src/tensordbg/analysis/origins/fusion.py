"""NaN that only a recorded program shows: without us TensorFlow computes it inside of a fused kernel that drops it.

The kernels that do are those of oneDNN; without it TensorFlow's own keep NaN.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Events
from tensordbg.model import NONE, Site, TensorRef

_DROPPING = frozenset({"Relu", "Relu6"})
"""What gives 0 for NaN at the end of a fused kernel, and NaN by itself."""
_ADDING = frozenset({"Add", "AddV2", "BiasAdd", "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})
_PRODUCTS = frozenset({"Conv2D", "MatMul"})


def fusion_notes(program: Program, events: Events) -> tuple[str, ...]:
    """Returns a line for each function in which a fused kernel would have dropped a NaN."""
    found: dict[str, set[str]] = {}
    takers = Counter((int(site), int(slot)) for site, slot in program.edges[:, 2:4].tolist())
    for number in np.unique(events.site[events.nan]).tolist():
        chain = _fused(program, takers, number)
        if chain:
            found.setdefault(program.python_names.get(program.sites[number].function, ""), set()).add(chain)
    return tuple(
        f"{name}: without the recording TensorFlow computes {', '.join(sorted(chains))} in one kernel, which gives 0 "
        "for NaN; so the program's own results may be finite where NaN is recorded"
        for name, chains in found.items()
    )


def _fused(program: Program, takers: Counter[tuple[int, int]], number: int) -> str:
    """What becomes one kernel with an operation that drops NaN, in words; empty where nothing does."""
    site = program.sites.get(number)
    if site is None or site.op_type not in _DROPPING or site.function == NONE or "GPU" in site.device:
        return ""
    added = _only_taken_here(program, takers, program.inputs_of(number), _ADDING)
    product = None if added is None else _only_taken_here(program, takers, program.inputs_of(added.site), _PRODUCTS)
    return "" if added is None or product is None else f"{product.op_type} + {added.op_type} + {site.op_type}"


def _only_taken_here(
    program: Program, takers: Counter[tuple[int, int]], given: list[TensorRef], types: frozenset[str]
) -> Site | None:
    """The operation of some types that makes an input, which nothing else takes: else it would not be fused."""
    for ref in given:
        site = program.sites.get(ref.site)
        if site is not None and site.op_type in types and takers[ref.site, ref.slot] == 1:
            return site
    return None
