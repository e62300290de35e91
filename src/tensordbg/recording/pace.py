"""Asks the budget at each step of a program whether it is to be recorded, and has the log rest in between.

Backends say when a step begins: a call of a function from Python, or what a training counts. A call within another, as
of Python code that a graph runs, belongs to the same step, and so does all that runs until the next one begins.
"""

from __future__ import annotations

import threading
import time
from array import array
from collections.abc import Callable
from typing import Any

from tensordbg import _native
from tensordbg.recording.budget import Budget, Look, Spent
from tensordbg.recording.log import EventLog
from tensordbg.recording.mattering import MATTERING, MatteringTensors

_DEFERRED = 16
"""A step that is recorded goes on while another thread's call is under way, but for no more beginnings than these."""

_OPERATIONS = 5000
"""Eager operations that belong to no step make one, so many of them."""

_TOLD_EVERY = 60.0
"""Seconds between two times that the cost is told while the program runs: a week's run tells it 10,000 times."""


class Pace:
    """The steps of one recording, in all threads."""

    def __init__(
        self,
        share: float,
        log: EventLog,
        clock: Callable[[], float] = time.perf_counter,
        *,
        unbounded: bool = False,
        mattering: MatteringTensors | None = None,
        tell: Callable[[float], None] | None = None,
    ) -> None:
        """Records until the first step begins.

        Args:
            share: Of the program's time that recording may cost.
            log: What rests between the steps that are recorded.
            clock: In seconds.
            unbounded: Whether any number of records may be written, as where their room is used again.
            mattering: What can be recorded alone, if anything can.
            tell: Takes now and then, and at the end, which share of the program's own time recording has cost so far.
        """
        self.looking = True
        """Whether what runs now is to be recorded."""
        self._budget = Budget(share, unbounded=unbounded, parts=mattering is not None)
        self._mattering = mattering
        self._log = log
        self._clock = clock
        self._tell = tell
        self._told_at = clock()
        self._lock = threading.Lock()
        self._calls: dict[int, int] = {}
        """How many calls are under way, by their threads."""
        self._leading: set[int] = set()
        """Threads that have begun a call while no other was under way: what runs in a call has threads of its own."""
        self._passing: tuple[object, int] | None = None
        """The kind, and the thread, of steps that need not begin one by one."""
        self._to_pass = self._passed = 0
        self._key: object = None
        """The kind of the step that runs."""
        self._with_calls: set[object] = set()
        """The kinds in whose steps other calls have begun, which would take themselves for steps."""
        self._deferred = 0
        self._operations = array("q", [0])
        self._bad_before = 0
        self._written_before = log.appended()
        self._listeners: list[Callable[[bool], None]] = []

    def when_changed(self, listener: Callable[[bool], None]) -> None:
        """Has somebody told, from now on, whenever `looking` changes."""
        self._listeners.append(listener)

    def passes_by(self, key: object) -> bool:
        """Whether the call or step that begins is sure to be left out: nobody needs to tell of its end."""
        # Most steps come to this and nothing else: a call more would be felt in a short one.
        if self._to_pass <= self._passed or self._passing != (key, threading.get_ident()):
            return False
        self._passed += 1
        self._operations[0] = 0
        return True

    def begin_call(self, key: object) -> bool:
        """A call of a function begins in this thread, and a step with it unless it is part of one."""
        thread = threading.get_ident()
        with self._lock:
            if self._calls:
                self._with_calls.add(self._key)
                self._to_pass = 0
            if self._begins_step(thread):
                self._begin(key)
                self._pass_by(key, thread)
            self._calls[thread] = self._calls.get(thread, 0) + 1
            return self.looking

    def end_call(self) -> None:
        """The innermost call of this thread is over."""
        thread = threading.get_ident()
        with self._lock:
            left = self._calls.get(thread, 1) - 1
            if left > 0:
                self._calls[thread] = left
            else:
                self._calls.pop(thread, None)

    def begin_step(self, key: object) -> bool:
        """A step begins that is no call; returns whether it is to be recorded."""
        with self._lock:
            if not self._calls:
                self._begin(key)
                self._pass_by(key, threading.get_ident())
            return self.looking

    def operation(self) -> None:
        """An eager operation has run. It is not counted exactly where several threads run them."""
        self._operations[0] += 1
        if self._operations[0] >= _OPERATIONS:
            self._end_of_operations()

    def counting_operations(self, run: Callable[..., Any], failed: Callable[..., None]) -> Callable[..., Any]:
        """Runs operations by what is returned, which counts them at little cost.

        Args:
            run: Of the framework.
            failed: Takes an exception that it raises, and what it was given.
        """
        return _native.counted(run, self._operations, _OPERATIONS, self._end_of_operations, failed)

    def _end_of_operations(self) -> None:
        self._operations[0] = 0
        self.begin_step("eager operations")

    def end(self) -> Spent:
        """Ends the last step; says what recording has cost, and what was looked at."""
        with self._lock:
            self._note_bad()
            self._take_passed()
            self._budget.end(self._clock())
            spent = self._budget.spent()
            if self._tell is not None and spent.looked:
                self._tell(spent.share)
            return spent

    def _begins_step(self, thread: int) -> bool:
        if thread in self._calls:
            return False
        if not self._calls:
            self._leading.add(thread)
            return True
        self._deferred += 1
        return thread in self._leading and (not self.looking or self._deferred > _DEFERRED)

    def _begin(self, key: object) -> None:
        self._deferred = self._operations[0] = 0
        self._key = key
        self._note_bad()
        self._take_passed()
        now = self._clock()
        if self._tell is not None and now - self._told_at >= _TOLD_EVERY:
            self._told_at = now
            self._tell(self._budget.spent().share)
        look = self._budget.begin(key, now)
        looking = look is not Look.NOTHING
        if looking and self._mattering is not None:
            self._mattering.choose(alone=look is Look.MATTERING)
        if looking != self.looking:
            self.looking = looking
            (self._log.go_on if looking else self._log.pause)()
            for listener in self._listeners:
                listener(looking)
        if looking:
            self._bad_before, self._written_before = self._log.bad(), self._log.appended()
            self._log.take_largest()  # of what ran before

    def _pass_by(self, key: object, thread: int) -> None:
        if key not in self._with_calls:
            self._passing, self._to_pass = (key, thread), self._budget.to_pass_by()

    def _take_passed(self) -> None:
        if self._passed:
            self._budget.passed_by(self._passed)
        self._to_pass = self._passed = 0

    def _note_bad(self) -> None:
        if self.looking:
            self._budget.found(self._log.bad() - self._bad_before, self._log.take_largest())
            self._budget.wrote(self._log.appended() - self._written_before)


def pace_note(spent: Spent) -> str:
    """Says what was looked at and what not; empty where nothing was left out."""
    steps, recorded = sum(each.steps for each in spent.looked), sum(each.recorded for each in spent.looked)
    if steps == recorded:
        return ""
    gap = max(each.longest_gap for each in spent.looked)
    in_part = sum(each.in_part for each in spent.looked)
    more = f", and of {in_part:,} more what matters most: {MATTERING}" if in_part else ""
    return (
        f"{recorded:,} of {steps:,} steps were recorded{more}, which cost about {100 * spent.share:.1f} % of the "
        f"program's time, and {spent.made_ready:.1f} s to make ready; what began and ended within the "
        f"others can't be known, of which up to {gap:,} lay in a row"
    )
