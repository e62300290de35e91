"""Quotients that became 0 since what they were divided by went beyond the largest float16.

The infinity is gone then, and all that is left is finite and wrong: a row that was to be divided by its sum, or by the
root of its mean square, is nothing but zeros. Where the true quotient is too small for the type anyway, as in a sigmoid
that is written out, 0 is right.
"""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import Case, magnitude
from tensordbg.analysis.causes.magnitudes import bound
from tensordbg.analysis.finding import TensorView
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.operands import operands
from tensordbg.analysis.flow.resolve import resolve
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.origins.dropping import Dropping
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Health
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Role
from tensordbg.operations.traits import Trait

_SMALLEST = 6.1e-5
"""The smallest float16 that has all its digits."""

_MOST_LOOKED_AT = 50


class Vanished:
    """Looks for them; one for all origins of a trace."""

    def __init__(self, values: Values, dropping: Dropping, details: Details) -> None:
        """Takes where the values lie, what follows bad ones to where they end, and the statistics."""
        self._values = values
        self._dropping = dropping
        self._details = details
        self._flow = Flow(values, values.ports.inputs)

    def behind(self, node: int, case: Case) -> TensorView | None:
        """The first quotient that an overflow made 0; None where there is none.

        Args:
            node: The overflow's.
            case: What is known of it.
        """
        beyond = _true_size(case)
        if case.view.dtype != "float16" or beyond == 0.0:
            return None
        for looked, event in enumerate(self._dropping.made_finite(node)):
            if looked >= _MOST_LOOKED_AT:
                break
            if (found := self._vanished(event, beyond)) is not None:
                return found
        return None

    def _vanished(self, event: int, beyond: float) -> TensorView | None:
        """The value of an event, if it is 0 where it was divided by an infinity and is no small number in truth."""
        site = self._values.program.sites.get(int(self._values.events.site[event]))
        if site is None:
            return None
        operation = operation_of(site)
        place = operation.operands.get(Role.DENOMINATOR, operation.operands.get(Role.DIVISOR))
        if place is None:
            return None
        given = {
            each.position: resolve(self._flow, each.invocation, each.port)
            for each in operands(self._flow, site, int(self._values.invocation[event]))
        }
        if not any(self._values.events.bad[each] for each in given.get(place, ())):
            return None
        divided = [each for position, events in given.items() if position != place for each in events]
        views = self._details.views([event, *divided])
        dividends = [views[each].health for each in divided]
        largest = max(map(magnitude, dividends), default=1.0)
        more = all(_share(views[event].health) > _share(each) for each in dividends)
        divisor = math.sqrt(beyond) if operation.kind is Kind.RSQRT else beyond
        return views[event] if more and largest > _SMALLEST * divisor else None


def _true_size(case: Case) -> float:
    """How large the overflow is in truth, at most; 0 where that can't be told, as of an exponential."""
    size = bound(case)
    if case.operation.has(Trait.SUMS_UP) and case.output.size:
        return size / case.output.size
    return size


def _share(health: Health | None) -> float:
    return health.zero / health.size if health is not None and health.size else 0.0
