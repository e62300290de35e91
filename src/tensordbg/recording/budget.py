"""Chooses the steps that are recorded, and how much of each: it costs no more than a share of the program's time.

A step is what runs from one call of `begin` to the next. Most run as if nothing watched, and their time is what a step
costs by itself; what a recorded one takes beyond that is what recording costs. Each kind of step, a function or the
training, has an account: every second pays in the budget's share of it, a recorded step takes out its cost.

A step may be recorded whole, or only the tensors that matter most (`mattering.py`). Where these cost at most half of
what all of them do, half of the budget is for them, so that they are seen far more often, up to each step; the others
are seen whenever a step is recorded whole.

Which steps are due depends on their numbers alone, spread by the golden ratio: evenly, in step with no period of the
program, and so that the processes of one training mostly record the same steps rather than slow down each other.
"""

from __future__ import annotations

import enum
import math
from collections import deque
from dataclasses import dataclass
from statistics import median

from tensordbg.recording.step_cost import StepCost, middle

_GOLDEN = (math.sqrt(5) - 1) / 2
_PLAIN_KEPT, _LARGEST_KEPT = 32, 32
_ENOUGH = 3
"""So many plain steps must be known before the cost of a recorded one can be."""
_FIRST_GUESS = 1.0
"""The cost of a recorded step before one was measured, in plain steps."""
_PART_GUESS = 0.25
"""The same of a step of which only what matters is recorded."""
_WORTH = 0.5
"""What matters is recorded alone where that costs no more than so much of what a whole step does."""
_TRIED = 12
"""So many such steps are measured before that is judged."""
_PART_SHARE = 0.5
"""No more than this of the budget is for it."""
_HIGHEST_RATE = 15 / 16
"""Some steps always stay plain: else nothing is known of the cost any more."""
_EAGERNESS = 1.25
"""More steps are due than the budget has room for; the account says which of them come about."""
_AHEAD_SECONDS = 60.0
"""The budget of so many seconds may be saved, and no more: what was idle for an hour is not paid back in one."""
_GROWN = 30.0
"""Numbers that are so many times larger than in most of the last recorded steps are on their way to an overflow."""
_AT_ONCE, _AT_ONCE_SECONDS = 127, 0.05
"""So many steps at most are passed by with the one before them, in so much time; the next is measured by itself."""
_SETTING_UP = 0.25
"""This part of the budget pays for what was made ready once, until that is paid."""

_FREE_RECORDS = 4_000_000
"""So many records are written before their number counts: a run of some hours is bounded by its time alone."""
_RECORDS_A_SECOND = 500.0
"""So many more in each second: in a week they take less than 10 GB, whatever the program (`benchmarks/week.py`)."""

ALARMED_STEPS = 8
"""So many steps are recorded one after the other when a number has gone bad, or numbers have begun to grow."""


class Look(enum.Enum):
    """How much of a step is recorded."""

    NOTHING = enum.auto()
    MATTERING = enum.auto()
    """The tensors that matter most."""
    ALL = enum.auto()


@dataclass(frozen=True)
class Looked:
    """The steps of one kind, and how many of them were recorded."""

    key: object
    steps: int
    recorded: int
    longest_gap: int
    """So many steps in a row were not recorded, or only in part, at most."""
    in_part: int = 0
    """Of how many more the tensors that matter most were recorded."""


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

    def __init__(self, share: float, *, unbounded: bool = False, parts: bool = False) -> None:
        """Nothing has run.

        Args:
            share: Seconds that recording may cost in each second that the program takes by itself.
            unbounded: Whether any number of records may be written, as where their room is used again.
            parts: Whether what matters can be recorded alone.
        """
        self.share = share
        self._parts = parts
        self._accounts: dict[object, _Account] = {}
        self._current: _Account | None = None
        self._began = 0.0
        self._look = Look.NOTHING
        self._alarmed = 0
        self._was_alarmed = False
        self._room = math.inf if unbounded else float(_FREE_RECORDS)
        """So many records more may be written."""

    def begin(self, key: object, now: float) -> Look:
        """Ends the step that runs, if any, and begins one of a kind; returns how much of it is to be recorded.

        Args:
            key: The kind.
            now: The time, in seconds.
        """
        self.end(now)
        account = self._accounts.get(key)
        if account is None:
            account = self._accounts[key] = _Account(key, parts=self._parts)
        self._look = account.begin(self.share, alarmed=self._alarmed > 0, room=self._room >= 0)
        self._alarmed = max(self._alarmed - 1, 0)
        self._current, self._began = account, now
        return self._look

    def to_pass_by(self) -> int:
        """Says how many steps like the one that has begun are sure to be left out behind it, if no other kind begins.

        They need not begin one by one: `passed_by` takes how many came about.
        """
        if self._current is None or self._look is not Look.NOTHING:
            return 0
        return self._current.to_pass_by(self.share)

    def passed_by(self, steps: int) -> None:
        """Takes that so many steps more have run since the last began."""
        if self._current is not None:
            self._current.pass_by(steps)

    def end(self, now: float) -> None:
        """Ends the step that runs, if any; what follows is of none."""
        if self._current is not None:
            seconds = max(now - self._began, 0.0)
            self._current.end(seconds, self.share, self._look)
            self._room = min(self._room + _RECORDS_A_SECOND * seconds, max(self._room, _FREE_RECORDS))
            self._current = None

    def found(self, bad: int, largest: float) -> None:
        """Takes what the recorded step that runs has come to: more that is bad, or numbers that grow, is an alarm.

        Args:
            bad: How many tensors are not finite.
            largest: The largest magnitude in any tensor of floating-point numbers.
        """
        if (
            self._current is not None
            and self._look is not Look.NOTHING
            and self._current.note(self._look, bad, largest)
        ):
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


class _Way:
    """One way to look at steps of a kind, and what it has come to."""

    def __init__(self, guess: float) -> None:
        self.cost = StepCost(guess)
        self.credit = 0.0
        self.last_cost = 0.0
        self.steps = 0
        self._most_bad = 0
        self._largest: deque[float] = deque(maxlen=_LARGEST_KEPT)

    def note(self, bad: int, largest: float) -> bool:
        """Takes what a step has come to; whether more is bad than ever, or numbers far larger than in most before."""
        more = bad > self._most_bad
        grew = len(self._largest) >= _ENOUGH and largest > _GROWN * median(self._largest) > 0
        self._most_bad = max(self._most_bad, bad)
        self._largest.append(largest)
        return more or grew


class _Account:
    """The account of one kind of steps."""

    def __init__(self, key: object, *, parts: bool) -> None:
        self._key = key
        self._parts = parts
        self._steps = self._gap = self._longest_gap = 0
        self._passed = 0
        """So many steps were passed by since the last began."""
        self._measured = True
        """Whether a step was measured by itself since."""
        self._plain: deque[float] = deque(maxlen=_PLAIN_KEPT)
        self._ways = {Look.ALL: _Way(_FIRST_GUESS), Look.MATTERING: _Way(_PART_GUESS)}
        self._first_plain: float | None = None
        self._setting_up = 0.0
        self._split: float | None = None
        """The share of what matters, until something is measured."""
        self.made_ready = 0.0
        self.own_seconds = 0.0
        self.cost_seconds = 0.0

    def begin(self, share: float, *, alarmed: bool, room: bool) -> Look:
        number = self._steps
        self._steps += 1
        look = Look.ALL if alarmed or number == 0 else self._due(number * _GOLDEN % 1.0, share)
        if number and not alarmed and look is not Look.NOTHING and not (room and self._is_paid(self._ways[look])):
            look = Look.NOTHING
        if look is not Look.NOTHING:
            self._ways[look].steps += 1
            self._split = None
        self._gap = 0 if look is Look.ALL else self._gap + 1
        self._longest_gap = max(self._longest_gap, self._gap)
        return look

    def to_pass_by(self, share: float) -> int:
        if not self._measured or len(self._plain) < _PLAIN_KEPT:
            return 0
        most = min(_AT_ONCE, int(_AT_ONCE_SECONDS / max(middle(self._plain), _AT_ONCE_SECONDS / _AT_ONCE)))
        due = sum(self._due_shares(share))
        for number in range(self._steps, self._steps + most):
            if number * _GOLDEN % 1.0 < due:
                return number - self._steps
        return most

    def pass_by(self, steps: int) -> None:
        self._passed += steps
        self._steps += steps
        self._gap += steps
        self._longest_gap = max(self._longest_gap, self._gap)

    def _due(self, place: float, share: float) -> Look:
        """How much is due of the step at a place between 0 and 1."""
        whole, part = self._due_shares(share)
        if place < whole:
            return Look.ALL
        return Look.MATTERING if place < whole + part else Look.NOTHING

    def _due_shares(self, share: float) -> tuple[float, float]:
        """Of how many of the steps all is due, and of how many more what matters."""
        whole, part = self._ways[Look.ALL].cost.ratio, self._ways[Look.MATTERING].cost.ratio
        of_part = self._of_part(share)
        all_of_it = min(_EAGERNESS * share * (1 - of_part) / whole, _HIGHEST_RATE)
        return all_of_it, min(_EAGERNESS * share * of_part / part, _HIGHEST_RATE - all_of_it)

    def _of_part(self, share: float) -> float:
        """How much of the budget is for what matters; it is asked for twice in each step."""
        if self._split is None:
            self._split = self._split_of(share)
        return self._split

    def _split_of(self, share: float) -> float:
        """No more than it takes to see what matters in each step."""
        whole, part = self._ways[Look.ALL].cost.ratio, self._ways[Look.MATTERING].cost.ratio
        known = self._parts and len(self._plain) >= _ENOUGH and self._ways[Look.ALL].steps >= _ENOUGH
        tried = self._ways[Look.MATTERING].cost.measured >= _TRIED
        if not known or (tried and part > _WORTH * whole):
            return 0.0
        return min(_PART_SHARE, _HIGHEST_RATE * part / share)

    @property
    def is_paid(self) -> bool:
        """Whether all that was recorded is, but for one step, and it is known what that cost."""
        known = len(self._plain) >= _ENOUGH
        return known and all(each.credit >= -each.last_cost for each in self._ways.values())

    def _is_paid(self, way: _Way) -> bool:
        return way.credit >= 0 and len(self._plain) >= _ENOUGH

    def note(self, look: Look, bad: int, largest: float) -> bool:
        """Takes what a step has come to, of which so much was recorded; whether that is an alarm."""
        return self._ways[look].note(bad, largest)

    def end(self, seconds: float, share: float, look: Look) -> None:
        cost = self._note_plain(seconds) if look is Look.NOTHING else self._cost(seconds, look)
        own = max(seconds - cost, 0.0)
        self.own_seconds += own
        self.cost_seconds += cost
        paid = share * own
        if self._setting_up > 0:
            self._setting_up -= paid * _SETTING_UP
            paid *= 1 - _SETTING_UP
        if look is not Look.NOTHING:
            self._ways[look].last_cost = cost
        of_part = self._of_part(share)
        for each, part in ((Look.ALL, 1 - of_part), (Look.MATTERING, of_part)):
            way = self._ways[each]
            way.credit = min(way.credit + paid * part - (cost if each is look else 0.0), share * _AHEAD_SECONDS)

    def looked(self) -> Looked:
        whole, part = self._ways[Look.ALL].steps, self._ways[Look.MATTERING].steps
        return Looked(self._key, self._steps, whole, self._longest_gap, part)

    def _note_plain(self, seconds: float) -> float:
        """The first plain step makes things ready; it is paid for by and by, once it is known how much that was."""
        passed, self._passed = self._passed, 0
        self._measured = not passed
        if passed:
            return 0.0
        if self._first_plain is None:
            self._first_plain = seconds
            return 0.0
        self._plain.append(seconds)
        if len(self._plain) <= _ENOUGH:
            self._split = None
        if len(self._plain) == _ENOUGH and self._first_plain > 0:
            made_ready = max(self._first_plain - middle(self._plain), 0.0)
            self._setting_up += made_ready
            self.made_ready = made_ready
            self.own_seconds -= made_ready
            self._first_plain = 0.0
        return 0.0

    def _cost(self, seconds: float, look: Look) -> float:
        """What a look has cost in a step that took so long, by what it costs on the whole; of the first, nothing."""
        way = self._ways[look]
        if way.steps == 1 or len(self._plain) < _ENOUGH:
            return 0.0
        self._split = None
        return way.cost.take(seconds, self._plain)
