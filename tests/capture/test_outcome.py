from __future__ import annotations

from dataclasses import replace

from tensordbg.capture.header import Suspect, TensorDigest, Trouble
from tensordbg.capture.outcome import Outcome, compare

SUSPECT = Suspect("loss:0", "loss", "", "float32", (), 1, 0, 0)
CAPTURED = Trouble("non_finite", (SUSPECT,), (TensorDigest("loss:0", "loss", "", "abc"),))


def test_a_replay_is_compared_with_what_was_captured() -> None:
    other_bits = replace(CAPTURED, tested=(TensorDigest("loss:0", "loss", "", "def"),))
    assert compare(CAPTURED, CAPTURED) is Outcome.SAME
    assert compare(CAPTURED, replace(other_bits, suspects=(replace(SUSPECT, nan=3),))) is Outcome.ALIKE
    assert compare(CAPTURED, replace(other_bits, suspects=(replace(SUSPECT, nan=0, pos_inf=1),))) is Outcome.OTHER
    assert compare(CAPTURED, None) is Outcome.CLEAN
