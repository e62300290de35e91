from __future__ import annotations

from dataclasses import replace

from tensordbg.capture.outcome import Outcome, Reading
from tensordbg.capture.replayed import Replayed, ReplayedStep
from tensordbg.report.replays.replayed import verdict_lines
from tests.capture.conftest import header_of

BAD = Reading("loss:0", "loss", "", 1, 0, 0, 0.0, None, "abc")
GOOD = replace(BAD, nan=0, value=0.5, sha256="good")


def said(*runs: tuple[Outcome, Reading], random: tuple[str, ...] = ()) -> list[str]:
    made = tuple(ReplayedStep(outcome, (reading,)) for outcome, reading in runs)
    return list(verdict_lines(Replayed("captures/a", made, random), header_of()))


def test_the_same_again_needs_no_more_words() -> None:
    assert said((Outcome.SAME, BAD)) == ["replayed captures/a: the step went wrong again, the same bit for bit"]


def test_each_way_is_counted() -> None:
    lines = said((Outcome.SAME, BAD), (Outcome.CLEAN, GOOD), (Outcome.SAME, BAD))
    assert lines[0].endswith("the same bit for bit in 2 of 3 replays")
    assert lines[1].endswith("the step came out clean in 1 of 3 replays")


def test_random_operations_are_named() -> None:
    lines = said((Outcome.CLEAN, GOOD), random=("dropout/RandomUniform",))
    assert "draws random numbers whose state is not captured (dropout/RandomUniform)" in lines[-1]


def test_without_any_a_step_that_comes_out_in_several_ways_points_to_a_race() -> None:
    assert "came out in 2 ways from the same state" in said((Outcome.SAME, BAD), (Outcome.CLEAN, GOOD))[-1]
    assert "a race" in said((Outcome.ALIKE, BAD), (Outcome.ALIKE, replace(BAD, sha256="other")))[-1]


def test_one_that_ran_otherwise_points_to_its_last_bits() -> None:
    clean = Replayed("captures/a", (ReplayedStep(Outcome.CLEAN, (GOOD,)),), uncompiled=True)
    (_, last) = verdict_lines(clean, header_of())
    assert "last bits are not those of compiled code" in last
    assert "--times" not in last


def test_one_that_is_always_clean_points_to_what_was_not_captured() -> None:
    assert said((Outcome.CLEAN, GOOD))[-1].endswith("--times 10 to tell whether it always comes out clean")
    last = said(*[(Outcome.CLEAN, GOOD)] * 20)[-1]
    assert last.startswith("it came out the same all 20 times")
    assert "a fault of that machine's hardware; replay it there with --times 200" in last
