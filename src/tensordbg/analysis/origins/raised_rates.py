"""Learning rates that a callback or a schedule had raised before the numbers behind an origin grew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tensordbg.analysis.causes.case import Case
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.learning_rates import LEARNING_RATE, RaisedRate, Rates, changes, raised, rates_set
from tensordbg.operations.setting_names import optimizer_settings
from tensordbg.trace.program.optimizers import OptimizerSettings

_TAKES_OFF = 1.5
"""By so much numbers grow in a step where they go on to grow without end; before that they may drift."""


class RaisedRates:
    """Looks for them; one for all origins of a trace."""

    def __init__(self, values: Values, details: Details, optimizers: Sequence[OptimizerSettings]) -> None:
        self._values = values
        self._details = details
        self._groups: dict[tuple[int, int], list[OptimizerSettings]] = {}
        for each in optimizers:
            self._groups.setdefault((each.optimizer, each.group), []).append(each)

    def before(self, case: Case, variables: frozenset[int]) -> RaisedRate | None:
        """The raise before what went into an operation grew; None where there was none.

        Args:
            case: What is known of the operation.
            variables: Those that grew on the way.
        """
        grew = _step_of_growth(case)
        if grew is None:
            return None
        training = [each for each in self._groups.values() if variables.intersection(each[0].variables)]
        found = (raised(rates, grew) for each in training or self._groups.values() for rates in self._rates(each))
        return next((each for each in found if each is not None), None)

    def _rates(self, settings: Sequence[OptimizerSettings]) -> Iterator[Rates]:
        yield rates_set(settings)
        for name, variable in settings[0].held.items():
            if LEARNING_RATE in optimizer_settings({name: 0.0}):
                yield self._held(variable)

    def _held(self, variable: int) -> Rates:
        """What a variable held over the steps, as it was read."""
        sites = [site.site for site in self._values.program.sites.values() if site.reads == (variable,)]
        events = np.flatnonzero(np.isin(self._values.events.site, sites))
        rows = self._values.events.execution[events]
        events, rows = events[rows >= 0], rows[rows >= 0]
        lowest, _ = self._details.range_of(events)
        return changes(zip(self._values.executions.step[rows].tolist(), lowest.tolist(), strict=True))


def _step_of_growth(case: Case) -> int | None:
    """The step by whose update the numbers began to grow; None where they did not grow over steps."""
    growth, jump = case.growth, case.jump
    if growth is not None and growth.unit == "step" and not growth.given:
        sizes = growth.magnitudes
        first = case.view.step - len(sizes) + 1
        return first + next((k for k in range(len(sizes) - 1) if sizes[k + 1] >= _TAKES_OFF * sizes[k]), 0)
    return jump.step if jump is not None and jump.updated and jump.before > 0 else None
