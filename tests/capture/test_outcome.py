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


def test_a_step_that_was_finite_when_it_was_captured_is_not_clean() -> None:
    jumped = Trouble("loss_jump", (), CAPTURED.tested)
    finite = replace(READING, nan=0, value=150.0)
    assert compare(jumped, [finite]) is Outcome.SAME
    assert compare(jumped, [replace(finite, sha256="def")]) is Outcome.ALIKE
    assert compare(jumped, [replace(READING, sha256="def")]) is Outcome.OTHER


def test_what_json_has_no_number_for_is_none() -> None:
    assert [finite_or_none(number) for number in (0.5, float("inf"), float("nan"))] == [0.5, None, None]
