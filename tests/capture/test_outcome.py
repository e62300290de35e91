from __future__ import annotations

from dataclasses import replace

from tensordbg.capture.header import Suspect, TensorDigest, Trouble
from tensordbg.capture.outcome import Outcome, Reading, compare, finite_or_none

SUSPECT = Suspect("loss:0", "loss", "", "float32", (), 1, 0, 0)
CAPTURED = Trouble("non_finite", (SUSPECT,), (TensorDigest("loss:0", "loss", "", "abc"),))
READING = Reading("loss:0", "loss", "", 1, 0, 0, 0.0, None, "abc")


def test_a_replay_is_compared_with_what_was_captured() -> None:
    other_bits = replace(READING, sha256="def")
    assert compare(CAPTURED, [READING]) is Outcome.SAME
    assert compare(CAPTURED, [replace(other_bits, nan=3)]) is Outcome.ALIKE
    assert compare(CAPTURED, [replace(other_bits, nan=0, pos_inf=1)]) is Outcome.OTHER
    assert compare(CAPTURED, [replace(other_bits, nan=0)]) is Outcome.CLEAN


def test_a_step_that_raised_comes_out_clean_where_it_has_readings() -> None:
    assert compare(Trouble("raised", ()), []) is Outcome.CLEAN


def test_a_step_that_was_too_large_goes_wrong_again_where_it_is_about_as_large() -> None:
    loss = replace(READING, nan=0, value=90.0, sha256="x")
    gradient = replace(READING, name="g:0", role="gradient", nan=0)
    for kind, number, bad in (("loss_jump", "loss", True), ("gradient_norm", "gradient_norm", False)):
        captured = Trouble(kind, (), CAPTURED.tested, {number: 100.0})
        assert compare(captured, [replace(loss, sha256="abc")]) is Outcome.SAME
        assert compare(captured, [loss, gradient]) is (Outcome.ALIKE if bad else Outcome.CLEAN)
        assert compare(captured, [replace(loss, value=1.0), replace(gradient, norm=80.0)]) is (
            Outcome.CLEAN if bad else Outcome.ALIKE
        )
        assert compare(captured, [replace(loss, nan=1, value=None)]) is Outcome.OTHER


def test_what_json_has_no_number_for_is_none() -> None:
    assert [finite_or_none(number) for number in (0.5, float("inf"), float("nan"))] == [0.5, None, None]
