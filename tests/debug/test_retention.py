"""What a program stopped at stays, and of the rest as much as there is room for."""

from __future__ import annotations

from dataclasses import dataclass, field

from tensordbg.debug.retention import BETWEEN, Retention
from tensordbg.recording.log import ValueStatus


@dataclass
class CountedLog:
    """A log as far as keeping asks it."""

    records: int = 0
    bytes_of: dict[int, int] = field(default_factory=dict)
    """Of values, by the number of the record that has them."""

    def appended(self) -> int:
        return self.records

    def values(self) -> ValueStatus:
        return ValueStatus(sum(self.bytes_of.values()), 0, "")

    def forget(self, begin: int, end: int) -> None:
        self.bytes_of = {number: size for number, size in self.bytes_of.items() if not begin <= number < end}

    def run(self, records: int, size: int = 0) -> None:
        self.records += records
        self.bytes_of[self.records] = size


def test_runs_that_were_passed_go_with_the_oldest_first() -> None:
    log = CountedLog()
    retention = Retention(log, 2**30, most_records=100)  # type: ignore[arg-type]
    gone = []
    for run in range(10):
        log.run(40)
        gone.append(retention.note(run, stopped=run in {0, 4}))
    assert gone == [[], [], [], [], [1], [], [2], [3], [5], [6]]


def test_values_of_passed_runs_take_an_eighth() -> None:
    log = CountedLog()
    retention = Retention(log, 8000)  # type: ignore[arg-type]
    gone = []
    for run in range(6):
        log.run(1, 400)
        gone.append(retention.note(run, stopped=run == 0))
    assert gone == [[], [], [], [], [1], [2]]


def test_values_of_old_stops_make_room_for_those_of_the_next_run() -> None:
    log = CountedLog()
    retention = Retention(log, 1000)  # type: ignore[arg-type]
    gone = []
    for run, stopped in enumerate([True, False, True, True, True]):
        log.run(1, 200)
        gone.append(retention.note(run, stopped))
    assert gone == [[], [], [1], [0], [2]]


def test_the_last_run_stays_however_much_it_takes() -> None:
    log = CountedLog()
    retention = Retention(log, 10)  # type: ignore[arg-type]
    log.run(2**20, 10**9)
    assert retention.note(1, stopped=False) == []
    log.run(2**20, 10**9)
    assert retention.note(2, stopped=False) == [1]


def test_what_was_computed_before_the_first_run_makes_room_for_it() -> None:
    log = CountedLog()
    retention = Retention(log, 1000)  # type: ignore[arg-type]
    log.run(5, 600)
    assert retention.note(BETWEEN, stopped=True) == [BETWEEN]
    assert log.values().kept_bytes == 0
    log.run(5, 600)
    assert retention.note(1, stopped=True) == []
