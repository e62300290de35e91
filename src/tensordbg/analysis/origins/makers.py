"""How an operand was made: the last few operations behind it as a tree, for the fixes that depend on them."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np

from tensordbg.analysis.causes.case import Made
from tensordbg.analysis.flow.ancestry import Ancestry
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE, Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_DEEPEST = 14
_MOST = 60
"""So many operations are looked at for an operand."""
_SMALL = 0.01


class Makers:
    """Draws the trees."""

    def __init__(self, values: Values, ancestry: Ancestry, details: Details) -> None:
        self._values = values
        self._ancestry = ancestry
        self._details = details

    def behind(self, event: int) -> Made | None:
        """How the tensor of an event was made; None where it was not recorded."""
        return self._made(event, _DEEPEST, [_MOST]) if event != NONE else None

    def _made(self, event: int, depth: int, left: list[int]) -> Made:
        left[0] -= 1
        site = self._ancestry.site(event)
        operation = operation_of(site)
        written = operation.kind in (Kind.CAST, Kind.CONSTANT) or operation.has(Trait.FROM_OUTSIDE)
        number = self._number(event) if written or site.argument >= 0 else math.nan
        made = Made(site.op_type, number)
        if depth and (operation.has(Trait.LIGHT) or site.argument >= 0):
            parents = (parent for parent in self._ancestry.parents(event) if left[0] > 0)
            made = replace(made, operands=tuple(self._made(parent, depth - 1, left) for parent in parents))
        return made

    def _number(self, event: int) -> float:
        """The number that a tensor holds throughout, NaN where it holds several."""
        lowest, highest = self._details.range_of(np.array([event]))
        return float(lowest[0]) if lowest[0] == highest[0] else math.nan

    def added_after(self, event: int) -> float:
        """The small number that its graph adds to a tensor, NaN where it adds none."""
        ports, program = self._values.ports, self._values.program
        places = np.flatnonzero(ports.inputs.ports == int(self._values.port[event]))
        for taker in np.unique(np.searchsorted(ports.inputs.starts, places, side="right") - 1).tolist():
            if taker in program.sites and operation_of(program.sites[taker]).kind is Kind.ADD:
                makers = (program.sites.get(ref.site) for ref in program.inputs_of(taker))
                numbers = [_written_down(maker) for maker in makers if maker is not None]
                small = [number for number in numbers if 0 <= number <= _SMALL]
                if small:
                    return small[0]
        return math.nan


def _written_down(site: Site) -> float:
    """The number of a constant, NaN where it is none or holds several."""
    value = json.loads(site.attributes).get("value") if operation_of(site).kind is Kind.CONSTANT else None
    return float(value) if isinstance(value, int | float) else math.nan
