"""Variables whose writes tell what they hold, as those of PyTorch: an operation in place gives the tensor itself.

Such a variable has one site that stands for what it held at first. What a step writes is what the next one reads, so
rules that look at how a variable goes take the writes for reads of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from tensordbg.analysis.program.description import Program
from tensordbg.model import GRADIENT_FOR, NONE, TensorRef
from tensordbg.operations.lookup import PARAMETER


@dataclass(frozen=True)
class Held:
    """The variables of a program that are of this kind."""

    first: Mapping[int, int]
    """By variable the site of what it held at first."""
    writes: Mapping[int, int]
    """By the site of each write, whose first output is the variable, the site of what that held at first."""


def held_variables(program: Program) -> Held:
    """Finds the variables of a program that are held so."""
    first = {
        site.reads[0]: site.site
        for site in program.sites.values()
        if site.op_type == PARAMETER and len(site.reads) == 1
    }
    writes = {
        site.site: first[site.writes[0]]
        for site in program.sites.values()
        if site.function == NONE and len(site.writes) == 1 and site.writes[0] in first
    }
    return Held(first, writes)


def noted_gradients(program: Program) -> Mapping[int, tuple[TensorRef, ...]]:
    """By variable the outputs that are its gradient, as far as that was noted."""
    found: dict[int, list[TensorRef]] = {}
    for site in program.sites.values():
        if f'"{GRADIENT_FOR}"' not in site.attributes:
            continue
        told = json.loads(site.attributes).get(GRADIENT_FOR)
        for pair in told if isinstance(told, list) else ():
            if isinstance(pair, list) and len(pair) == 2 and all(isinstance(each, int) and each >= 0 for each in pair):
                found.setdefault(pair[1], []).append(TensorRef(site.site, pair[0]))
    return {variable: tuple(refs) for variable, refs in found.items()}
