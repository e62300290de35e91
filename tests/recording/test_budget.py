"""The budget, with a simulated clock: programs of all kinds stay within it, and each kind of step is looked at."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from tensordbg.recording.budget import ALARMED_STEPS, Budget, Look

TEN_MINUTES = 600.0


@dataclass
class Simulation:
    """A program that runs under a budget."""

    budget: Budget
    now: float = 0.0
    own: float = 0.0
    cost: float = 0.0

    def step(self, own: float, cost: float, key: object = "train") -> bool:
        """Runs one step, which takes so long by itself and so much longer recorded."""
        records = self.budget.begin(key, self.now) is not Look.NOTHING
        spent = cost if records else 0.0
        self.now += own + spent
        self.own += own
        self.cost += spent
        return records

    @property
    def share(self) -> float:
        return self.cost / self.own


@dataclass
class PassingBy(Simulation):
    """One that begins only the steps that may be due."""

    left: int = 0
    begun: int = 0

    def step(self, own: float, cost: float, key: object = "train") -> bool:
        if self.left:
            self.left -= 1
            self.budget.passed_by(1)
            self.now += own
            self.own += own
            return False
        self.begun += 1
        records = super().step(own, cost, key)
        self.left = self.budget.to_pass_by()
        return records


@dataclass
class InParts(Simulation):
    """One that may record what matters alone, at its own cost."""

    part: float = 0.0

    def looked(self, own: float, cost: float) -> Look:
        look = self.budget.begin("train", self.now)
        spent = {Look.ALL: cost, Look.MATTERING: self.part, Look.NOTHING: 0.0}[look]
        self.now += own + spent
        self.own += own
        self.cost += spent
        return look


def steady(_number: int, _random: random.Random) -> float:
    return 0.02


def noisy(_number: int, chance: random.Random) -> float:
    return 0.02 * chance.lognormvariate(0.0, 0.4)


def with_pauses(_number: int, chance: random.Random) -> float:
    """Collections of garbage, checkpoints."""
    return 0.02 + (0.5 if chance.random() < 0.03 else 0.0)


def with_compilations(number: int, _random: random.Random) -> float:
    """The first step, and now and then another shape."""
    return 0.02 + (3.0 if number % 2000 == 0 else 0.0)


def by_turns(number: int, _random: random.Random) -> float:
    """Every fourth step is the one that applies the gradients."""
    return 0.05 if number % 4 == 3 else 0.01


def changing(number: int, _random: random.Random) -> float:
    """Four times slower from the middle on, then faster than ever."""
    return 0.02 if number < 5000 else 0.08 if number < 8000 else 0.005


@pytest.mark.parametrize("share", [0.01, 0.05])
@pytest.mark.parametrize("ratio", [0.1, 1.5, 6.0])
@pytest.mark.parametrize("program", [steady, noisy, with_pauses, with_compilations, by_turns, changing])
def test_ten_minutes_stay_within_the_budget_and_use_it(
    program: Callable[[int, random.Random], float], ratio: float, share: float
) -> None:
    chance, simulation, number = random.Random(7), Simulation(Budget(share)), 0
    while simulation.now < TEN_MINUTES:
        own = program(number, chance)
        simulation.step(own, min(own, 0.1) * ratio)
        number += 1
    assert simulation.share < share * 1.2
    assert simulation.share > min(share, ratio) * 0.1


@pytest.mark.parametrize("seconds", [0.0005, 0.004, 0.05])
def test_steps_that_are_passed_by_are_not_those_that_are_due(seconds: float) -> None:
    one_by_one, passing = Simulation(Budget(0.02)), PassingBy(Budget(0.02))
    for number in range(6000):
        assert one_by_one.step(seconds, 2 * seconds) == passing.step(seconds, 2 * seconds), number
    assert passing.budget.spent().looked == one_by_one.budget.spent().looked
    assert passing.budget.spent().share == pytest.approx(one_by_one.budget.spent().share, rel=0.05)
    assert passing.begun < {0.0005: 1200, 0.004: 3700, 0.05: 6001}[seconds]


@pytest.mark.parametrize("program", [noisy, with_pauses, by_turns, changing])
def test_a_program_whose_steps_are_passed_by_stays_within_the_budget(
    program: Callable[[int, random.Random], float],
) -> None:
    chance, simulation, number = random.Random(7), PassingBy(Budget(0.02)), 0
    while simulation.now < TEN_MINUTES / 10:
        own = program(number, chance) / 20
        simulation.step(own, min(own, 0.005) * 1.5)
        number += 1
    assert simulation.share < 0.02 * 1.2
    assert simulation.share > 0.02 * 0.5


def test_steps_far_longer_than_others_are_not_taken_for_the_cost_of_recording() -> None:
    simulation, chance = Simulation(Budget(0.02)), random.Random(3)
    for number in range(20_000):
        simulation.step(with_pauses(number, chance), 0.01)
    assert simulation.budget.spent().looked[0].longest_gap < 200


def test_what_records_for_less_than_the_budget_is_recorded_but_for_what_must_be_compared() -> None:
    simulation = Simulation(Budget(0.1))
    recorded = sum(simulation.step(0.1, 0.002) for _ in range(2000))
    assert recorded > 1800


def test_each_kind_of_step_is_looked_at_from_its_own_time() -> None:
    simulation = Simulation(Budget(0.05))
    for number in range(20_000):
        simulation.step(0.02, 0.01)
        if number % 100 == 0:
            simulation.step(0.1, 0.05, "evaluate")
    found = {looked.key: looked for looked in simulation.budget.spent().looked}
    assert found["evaluate"].recorded > 10
    assert found["train"].recorded > 1000
    assert simulation.share < 0.055


def test_steps_of_every_place_in_a_period_are_seen() -> None:
    simulation, seen = Simulation(Budget(0.02)), dict.fromkeys(range(8), 0)
    for number in range(40_000):
        seen[number % 8] += simulation.step(0.02, 0.01)
    assert min(seen.values()) > 0.5 * max(seen.values())


def test_two_processes_mostly_record_the_same_steps() -> None:
    steps = []
    for seed in (1, 2):
        simulation, chance = Simulation(Budget(0.02)), random.Random(seed)
        recorded = [simulation.step(0.02 * chance.uniform(0.9, 1.1), 0.01) for _ in range(20_000)]
        steps.append({number for number, yes in enumerate(recorded) if yes})
    assert len(steps[0] & steps[1]) > 0.5 * min(map(len, steps))


def runs(yes: Iterator[bool]) -> list[int]:
    """How long the runs of recorded steps are."""
    lengths, length = [], 0
    for each in [*yes, False]:
        if each:
            length += 1
        elif length:
            lengths.append(length)
            length = 0
    return lengths


def test_a_number_that_goes_bad_has_the_next_steps_recorded_once() -> None:
    simulation = Simulation(Budget(0.02))

    def steps() -> Iterator[bool]:
        for number in range(5000):
            records = simulation.step(0.02, 0.01)
            simulation.budget.found(40 if number > 2000 else 3, 1.0)
            yield records

    lengths = runs(steps())
    # At the start there are three bad ones already: constants, for all that is known.
    assert len([length for length in lengths if length >= ALARMED_STEPS]) == 2
    assert simulation.share < 0.03


def test_numbers_that_grow_have_the_next_steps_recorded() -> None:
    simulation = Simulation(Budget(0.02))

    def steps(first: int) -> Iterator[bool]:
        for number in range(4000):
            records = simulation.step(0.02, 0.01)
            # Ordinary numbers vary; then each step makes them a quarter larger.
            simulation.budget.found(0, (3.0 + number % 7) * 1.25 ** max(number - first, 0))
            yield records

    lengths = runs(steps(3500))
    assert max(lengths[1:]) >= ALARMED_STEPS
    assert simulation.share < 0.03
    assert max(runs(steps(4000))) < ALARMED_STEPS, "nothing grows"


def test_alarms_that_do_not_end_are_answered_when_the_last_is_paid() -> None:
    simulation = Simulation(Budget(0.02))
    recorded = 0
    for _ in range(20_000):
        recorded += simulation.step(0.02, 0.01)
        simulation.budget.alarm()
    assert recorded > 2 * ALARMED_STEPS
    assert simulation.share < 0.025


def test_an_hour_in_which_nothing_ran_is_not_saved_up() -> None:
    simulation = Simulation(Budget(0.02))
    for _ in range(1000):
        simulation.step(0.02, 0.01)
    simulation.step(3600.0, 0.0)
    before = simulation.cost
    for _ in range(3000):
        simulation.step(0.02, 0.01)
    assert simulation.cost - before < 0.02 * (60 + 120)


def test_time_between_steps_belongs_to_none_once_the_step_was_ended() -> None:
    budget = Budget(0.02)
    budget.begin("train", 0.0)
    budget.end(1.0)
    budget.begin("train", 1000.0)
    budget.end(1001.0)
    assert budget.spent().looked[0].steps == 2
    assert budget.spent().share == 0.0


def test_a_step_that_is_not_recorded_has_no_bad_numbers_to_tell() -> None:
    simulation = Simulation(Budget(0.02))
    assert [simulation.step(0.02, 0.01) for _ in range(2)] == [True, False]
    simulation.budget.found(9, 1.0)
    assert not simulation.step(0.02, 0.01)


def written(unbounded: bool, seconds: float) -> int:
    """The records of a program whose steps are cheap to record, and many."""
    simulation = Simulation(Budget(0.02, unbounded=unbounded))
    records = 0
    while simulation.now < seconds:
        if simulation.step(0.2, 0.02):
            simulation.budget.wrote(400_000)
            records += 400_000
    return records


def test_the_disk_is_not_filled_however_little_a_record_costs() -> None:
    first, later = written(False, 1_000.0), written(False, 2_000.0)
    assert first == pytest.approx(4_000_000 + 500 * 1_000, rel=0.2)
    assert later - first == pytest.approx(500 * 1_000, abs=400_000)


def test_where_room_is_used_again_only_time_counts() -> None:
    assert written(True, 1_000.0) > 3 * written(False, 1_000.0)


def test_what_was_not_used_is_saved_up_to_what_a_run_begins_with() -> None:
    simulation = Simulation(Budget(0.02))
    for _ in range(10):
        simulation.step(0.2, 0.02)
    simulation.now += 10_000_000.0
    records = 0
    for _ in range(5_000):
        if simulation.step(0.2, 0.02):
            simulation.budget.wrote(400_000)
            records += 400_000
    assert records == pytest.approx(4_000_000 + 500 * 0.2 * 5_000, rel=0.1)


def test_where_it_costs_little_what_matters_is_recorded_far_more_often() -> None:
    simulation = InParts(Budget(0.05, parts=True), part=0.0008)
    looks = [simulation.looked(0.02, 0.01) for _ in range(20_000)]
    assert 0.04 < simulation.share < 0.055
    assert looks.count(Look.MATTERING) > 8000
    assert looks.count(Look.ALL) > 700
    (told,) = simulation.budget.spent().looked
    assert (told.recorded, told.in_part) == (looks.count(Look.ALL), looks.count(Look.MATTERING))


def test_where_it_costs_next_to_nothing_the_rest_of_the_budget_is_for_whole_steps() -> None:
    simulation = InParts(Budget(0.1, parts=True), part=0.0001)
    looks = [simulation.looked(0.02, 0.01) for _ in range(10_000)]
    assert looks.count(Look.NOTHING) < 1300
    assert looks.count(Look.ALL) > 1500


def test_where_it_costs_nearly_as_much_as_all_whole_steps_are_recorded() -> None:
    simulation = InParts(Budget(0.05, parts=True), part=0.008)
    looks = [simulation.looked(0.02, 0.01) for _ in range(20_000)]
    assert looks.count(Look.MATTERING) < 30
    assert looks.count(Look.ALL) > 1700


def test_what_goes_bad_in_a_step_recorded_in_part_has_the_next_recorded_whole() -> None:
    simulation = InParts(Budget(0.05, parts=True), part=0.0008)
    looks = []
    for number in range(2000):
        looks.append(simulation.looked(0.02, 0.01))
        # Whole steps have bad numbers that are harmless, ever since.
        simulation.budget.found(5 if looks[-1] is Look.ALL else int(number > 1000), 1.0)
    first = next(number for number in range(1001, 2000) if looks[number] is Look.MATTERING)
    assert looks[first + 1 : first + 1 + ALARMED_STEPS] == [Look.ALL] * ALARMED_STEPS
