"""Chooses the steps that are recorded, so that recording costs no more than a share of the program's time.

A step is what runs from one call of `begin` to the next. Most run as if nothing watched, and their time is what a step
costs by itself; what a recorded one takes beyond that is what recording costs. Each kind of step, a function or the
training, has an account: every second pays in the budget's share of it, a recorded step takes out its cost.

Which steps are due depends on their numbers alone, spread by the golden ratio: evenly, in step with no period of the
program, and so that the processes of one training mostly record the same steps rather than slow down each other.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

_GOLDEN = (math.sqrt(5) - 1) / 2
_PLAIN_KEPT, _RATIOS_KEPT, _LARGEST_KEPT = 32, 64, 32
_ENOUGH = 3
"""So many plain steps must be known before the cost of a recorded one can be."""
_FIRST_GUESS = 1.0
"""The cost of a recorded step before one was measured, in plain steps."""
_LEAST_RATIO = 0.002
_HIGHEST_RATE = 15 / 16
"""Some steps always stay plain: else nothing is known of the cost any more."""
_EAGERNESS = 1.25
"""More steps are due than the budget has room for; the account says which of them come about."""
_OUTLIER = 4.0
"""A step that cost so many times the usual was held up by something else."""
_AHEAD_SECONDS = 60.0
"""The budget of so many seconds may be saved, and no more: what was idle for an hour is not paid back in one."""
_GROWN = 30.0
"""Numbers that are so many times larger than in most of the last recorded steps are on their way to an overflow."""
_SETTING_UP = 0.25
"""This part of the budget pays for what was made ready once, until that is paid."""

_FREE_RECORDS = 4_000_000
"""So many records are written before their number counts: a run of some hours is bounded by its time alone."""
_RECORDS_A_SECOND = 500.0
"""So many more in each second: in a week they take less than 10 GB, whatever the program (`benchmarks/week.py`)."""

ALARMED_STEPS = 8
"""So many steps are recorded one after the other when a number has gone bad, or numbers have begun to grow."""


@dataclass(frozen=True)
class Looked:
    """The steps of one kind, and how many of them were recorded."""

    key: object
    steps: int
    recorded: int
    longest_gap: int
    """So many steps in a row were not recorded, at most."""


@dataclass(frozen=True)
class Spent:
    """The cost of a recording under a budget, and what it was spent for."""

    share: float
    """Of the program's own time, by the steps that were recorded."""
    made_ready: float
    """Seconds for what was made ready once."""
    looked: tuple[Looked, ...]
    """In the order in which the kinds came up."""


class Budget:
    """The budget of one recording, by whatever clock its caller has. It is not safe for threads by itself."""

    def __init__(self, share: float, *, unbounded: bool = False) -> None:
        """Nothing has run.

        Args:
            share: Seconds that recording may cost in each second that the program takes by itself.
            unbounded: Whether any number of records may be written, as where their room is used again.
        """
        self.share = share
        self._accounts: dict[object, _Account] = {}
        self._current: _Account | None = None
        self._began = 0.0
        self._records = False
        self._alarmed = 0
        self._was_alarmed = False
        self._room = math.inf if unbounded else float(_FREE_RECORDS)
        """So many records more may be written."""

    def begin(self, key: object, now: float) -> bool:
        """Ends the step that runs, if any, and begins one of a kind; returns whether it is to be recorded.

        Args:
            key: The kind.
            now: The time, in seconds.
        """
        self.end(now)
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = _Account(key)
        self._records = account.begin(self.share, alarmed=self._alarmed > 0, room=self._room >= 0)
        self._alarmed = max(self._alarmed - 1, 0)
        self._current, self._began = account, now
        return self._records

    def end(self, now: float) -> None:
        """Ends the step that runs, if any; what follows is of none."""
        if self._current is not None:
            seconds = max(now - self._began, 0.0)
            self._current.end(seconds, self.share, recorded=self._records)
            self._room = min(self._room + _RECORDS_A_SECOND * seconds, max(self._room, _FREE_RECORDS))
            self._current = None

    def found(self, bad: int, largest: float) -> None:
        """Takes what the recorded step that runs has come to: more that is bad, or numbers that grow, is an alarm.

        Args:
            bad: How many tensors are not finite.
            largest: The largest magnitude in any tensor of floating-point numbers.
        """
        if self._current is not None and self._records and self._current.note(bad, largest):
            self.alarm()

    def wrote(self, records: int) -> None:
        """Takes how many records the recorded step that runs has written."""
        self._room -= records

    def alarm(self) -> None:
        """Has the next steps recorded, whatever they cost; again only when the last alarm is paid."""
        if not self._was_alarmed or (not self._alarmed and all(each.is_paid for each in self._accounts.values())):
            self._was_alarmed = True
            self._alarmed = ALARMED_STEPS

    def spent(self) -> Spent:
        """Says what recording has cost so far, as far as it could be measured, and what was looked at."""
        accounts = self._accounts.values()
        own = sum(account.own_seconds for account in accounts)
        share = sum(account.cost_seconds for account in accounts) / own if own else 0.0
        made_ready = sum(account.made_ready for account in accounts)
        return Spent(share, made_ready, tuple(account.looked() for account in accounts))


class _Account:
    """The account of one kind of steps."""

    def __init__(self, key: object) -> None:
        self._key = key
        self._steps = self._recorded = self._gap = self._longest_gap = 0
        self._plain: deque[float] = deque(maxlen=_PLAIN_KEPT)
        self._ratios: deque[float] = deque(maxlen=_RATIOS_KEPT)
        self._ratio = _FIRST_GUESS
        """The cost of a recorded step, in plain steps."""
        self._first_plain: float | None = None
        self._first_recorded_seen = False
        self._setting_up = 0.0
        self.made_ready = 0.0
        self.credit = 0.0
        self.own_seconds = 0.0
        self.cost_seconds = 0.0
        self._most_bad = 0
        self._largest: deque[float] = deque(maxlen=_LARGEST_KEPT)

    def begin(self, share: float, *, alarmed: bool, room: bool) -> bool:
        number = self._steps
        self._steps += 1
        is_due = number * _GOLDEN % 1.0 < min(_EAGERNESS * share / self._ratio, _HIGHEST_RATE)
        records = alarmed or number == 0 or (is_due and room and self.is_paid)
        self._recorded += records
        self._gap = 0 if records else self._gap + 1
        self._longest_gap = max(self._longest_gap, self._gap)
        return records

    @property
    def is_paid(self) -> bool:
        """Whether all that was recorded is, and it is known what that cost."""
        return self.credit >= 0 and len(self._plain) >= _ENOUGH

    def note(self, bad: int, largest: float) -> bool:
        """Takes what a step has come to; whether more is bad than ever, or numbers far larger than in most before."""
        more = bad > self._most_bad
        grew = len(self._largest) >= _ENOUGH and largest > _GROWN * median(self._largest) > 0
        self._most_bad = max(self._most_bad, bad)
        self._largest.append(largest)
        return more or grew

    def end(self, seconds: float, share: float, *, recorded: bool) -> None:
        cost = self._cost(seconds) if recorded else self._note_plain(seconds)
        own = max(seconds - cost, 0.0)
        self.own_seconds += own
        self.cost_seconds += cost
        paid = share * own
        if self._setting_up > 0:
            self._setting_up -= paid * _SETTING_UP
            paid *= 1 - _SETTING_UP
        self.credit = min(self.credit + paid - cost, share * _AHEAD_SECONDS)

    def looked(self) -> Looked:
        return Looked(self._key, self._steps, self._recorded, self._longest_gap)

    def _note_plain(self, seconds: float) -> float:
        """The first plain step makes things ready; it is paid for by and by, once it is known how much that was."""
        if self._first_plain is None:
            self._first_plain = seconds
            return 0.0
        self._plain.append(seconds)
        if len(self._plain) == _ENOUGH and self._first_plain > 0:
            made_ready = max(self._first_plain - _middle(self._plain), 0.0)
            self._setting_up += made_ready
            self.made_ready = made_ready
            self.own_seconds -= made_ready
            self._first_plain = 0.0
        return 0.0

    def _cost(self, seconds: float) -> float:
        """What recording has cost in a step that took so long, by what it costs on the whole; of the first, nothing."""
        if not self._first_recorded_seen or len(self._plain) < _ENOUGH:
            self._first_recorded_seen = True
            return 0.0
        plain = _middle(self._plain)
        if plain <= 0:
            return 0.0
        measured = seconds / plain - 1
        usual = max(self._ratio, _spread(self._plain) / plain) if self._ratios else math.inf
        self._ratios.append(min(measured, _OUTLIER * usual))
        # Where little is known, it is taken to cost more.
        doubt = _spread(self._ratios) / math.sqrt(len(self._ratios))
        self._ratio = max(_middle(self._ratios) + doubt, _LEAST_RATIO)
        return min(self._ratio * plain, seconds)


def _middle(values: Iterable[float]) -> float:
    """The mean without the outermost eighths: what holds up a step now and then does not count, skewed times do."""
    ordered = sorted(values)
    outer = len(ordered) // 8
    inner = ordered[outer : len(ordered) - outer]
    return sum(inner) / len(inner)


def _spread(values: Sequence[float]) -> float:
    """The standard deviation."""
    mean = sum(values) / len(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
