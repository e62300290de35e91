"""Lines are noted while a tape is there, and kept by nothing but tensors."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.check.taped_lines import TapedLines
from tensordbg.recording.usercode import UserCode


def noted(lines: TapedLines, x: Any) -> dict[str, Any]:
    made = tf.sqrt(x)
    lines.note("Sqrt", (x,), made)
    return {name: value for each in (x, made) for name, value in vars(each).items() if name.startswith("_tensordbg")}


def test_nothing_without_a_tape() -> None:
    assert noted(TapedLines(UserCode()), tf.constant(1.0)) == {}


def test_what_was_made_and_what_was_taken() -> None:
    with tf.GradientTape():
        marks = noted(TapedLines(UserCode()), tf.constant(2.0))
    (op_type, line), taken = marks["_tensordbg_made_at"], marks["_tensordbg_taken_at"]
    assert (op_type, line[0]) == ("Sqrt", noted.__code__)
    assert taken == {"Sqrt": line}


def test_a_frame_of_the_program_lives_no_longer() -> None:
    class Big:
        pass

    def step(lines: TapedLines) -> weakref.ref[Big]:
        big = Big()
        with tf.GradientTape():
            noted(lines, tf.constant(3.0))
        return weakref.ref(big)

    gone = step(TapedLines(UserCode()))
    gc.collect()
    assert gone() is None


def test_no_gradient_runs() -> None:
    assert TapedLines(UserCode()).forward() is None
