"""Findings of a trace as a whole: origins, warnings and alerts, looked for once for each opened trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.view.findings.listing import AllFound, all_findings
from tensordbg.analysis.warnings.table import TABLE
from tensordbg.analysis.why import why

if TYPE_CHECKING:
    from tensordbg.console.language.conditions import FilteredTrace

ALERTS = ("retracing", "splitting", "placement", "other_parameters", "standing_still")
KINDS = ("origin", "warning", *TABLE, "alert", *ALERTS)
"""What a filter may name: an origin of trouble, a warning or an alert of any kind, or of one."""

_known: WeakKeyDictionary[FilteredTrace, AllFound] = WeakKeyDictionary()


def findings_of(opened: FilteredTrace) -> AllFound:
    """Everything that is found in a trace; it takes as long as `tdbg why` the first time."""
    if opened not in _known:
        _known[opened] = all_findings(why(opened), {"": opened})
    return _known[opened]


@dataclass(frozen=True)
class FindingTest:
    """That a finding of one kind names the tensor."""

    kind: str

    def holds(self, opened: FilteredTrace, events: Ints) -> Bools:
        """For which of some events it holds."""
        named = [
            found.row.event
            for found in findings_of(opened).found
            if found.row is not None and self.kind in (found.kind, found.cause)
        ]
        return np.isin(events, named)
