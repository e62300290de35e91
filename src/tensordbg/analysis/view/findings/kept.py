"""The findings of a run, kept until its traces have grown: to find them takes a while, and long traces take longer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import RLock

from tensordbg.analysis.view.findings.listing import AllFound, all_findings
from tensordbg.analysis.view.following import FollowedTrace
from tensordbg.analysis.why import why_of_run

_TIMES = 5
"""They are not looked for again before so many times what it took last: the program needs the processor too."""


@dataclass(frozen=True)
class RunFindings:
    """The findings as of a moment."""

    everything: AllFound
    revision: int

    def finding_of(self, process: str, event: int) -> int | None:
        """The number of the finding whose origin an event is."""
        return self._numbers(process).get(event)

    def origins_of(self, process: str) -> frozenset[int]:
        """The events of a process that are origins."""
        return frozenset(self._numbers(process))

    def _numbers(self, process: str) -> dict[int, int]:
        """By event the number of the finding."""
        return {
            found.row.event: number
            for number, found in enumerate(self.everything.found)
            if found.kind == "origin" and found.process == process and found.row is not None
        }


class KeptFindings:
    """The findings of one run."""

    def __init__(self, processes: Mapping[str, FollowedTrace]) -> None:
        """Nothing is looked for yet; the processes are given by name, of a run that has only one by ""."""
        self._processes = processes
        self._looking = RLock()
        self._known: RunFindings | None = None
        self._next_look = 0.0

    def known(self) -> RunFindings | None:
        """The findings of the last search; None before the first."""
        return self._known

    def now(self) -> RunFindings:
        """The findings; while they are looked for anew, others are told what was found last."""
        revision = sum(followed.growth().revision for followed in self._processes.values())
        known = self._known
        if known is not None and (known.revision == revision or time.monotonic() < self._next_look):
            return known
        # The first time all must wait.
        if not self._looking.acquire(blocking=known is None):
            return known  # type: ignore[return-value] # it blocks where nothing is known
        try:
            if self._known is None or self._known is known:
                self._known = self._look()
            return self._known
        finally:
            self._looking.release()

    def _look(self) -> RunFindings:
        began = time.monotonic()
        opened = {name: followed.opened() for name, followed in self._processes.items()}
        everything = all_findings(why_of_run(opened), opened)
        self._next_look = time.monotonic() + _TIMES * (time.monotonic() - began)
        return RunFindings(everything, sum(each.growth.revision for each in opened.values()))
