"""Which runs stay in the trace: all at which the program stopped, and as many of the last ones as there is room for.

So a program that goes on until something happens, over any number of runs, has what led up to it, and its trace does
not grow with the runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.recording.log import EventLog

MOST_RECORDS = 2**18
"""So many records, of 256 bytes, are kept of the runs at which nothing stopped."""

BETWEEN = 0
"""In place of a run's number: what was recorded between runs, or before the first."""


@dataclass
class _Kept:
    """What was recorded from one run's end to the next one's."""

    run: int
    begin: int
    end: int
    """Sequence numbers of the first record and of the one after the last."""
    size: int
    """Bytes of its values."""
    stopped: bool


class Retention:
    """Has the log forget what there is no room for."""

    def __init__(self, log: EventLog, value_budget: int, most_records: int = MOST_RECORDS) -> None:
        """Of a log that forgets as told.

        Half of the bytes for values are left for the run that comes next, an eighth are for runs that were passed: what
        is written over and over again should not be more than the system likes to hold in memory.
        """
        self._log = log
        self._most_bytes = value_budget // 2
        self._most_passed_bytes = value_budget // 8
        self._most_records = most_records
        self._kept: list[_Kept] = []
        self._end = 1
        self._size = 0

    def note(self, run: int, stopped: bool) -> list[int]:
        """A run has been made; returns the numbers of the runs that are forgotten with that."""
        end, size = self._log.appended() + 1, self._log.values().kept_bytes
        self._kept.append(_Kept(run, self._end, end, size - self._size, stopped))
        gone = self._make_room()
        self._end, self._size = end, self._log.values().kept_bytes
        return gone

    def _make_room(self) -> list[int]:
        gone = []
        while (oldest := self._oldest()) is not None:
            self._log.forget(oldest.begin, oldest.end)
            self._kept.remove(oldest)
            gone.append(oldest.run)
        return gone

    def _oldest(self) -> _Kept | None:
        """What is to go next, None while there is room; the last run stays."""
        free = [each for each in self._kept if each is not self._kept[-1] or each.run == BETWEEN]
        passed = [each for each in free if not each.stopped]
        if self._log.values().kept_bytes > self._most_bytes:
            return next(iter(passed or free), None)
        records, size = sum(each.end - each.begin for each in passed), sum(each.size for each in passed)
        too_many = records > self._most_records or size > self._most_passed_bytes
        return passed[0] if passed and too_many else None
