from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.trap.eager.capture import live_variables
from tensordbg.capture.reader import open_capture


def test_all_variables_that_python_holds_are_found() -> None:
    variable = tf.Variable(1.0)
    assert any(each is variable for each in live_variables())


def test_what_was_tested_and_good_is_in_the_capture_too(tmp_path: Path) -> None:
    good, bad = tf.Variable([1.0], name="good"), tf.Variable([0.0], name="bad")
    with tensordbg.trap(tmp_path, "record") as trap, tf.GradientTape() as tape:
        loss = tf.reduce_sum(good * 2.0 + tf.sqrt(bad))
        tape.gradient(loss, {"good": good, "bad": bad})
    trouble = open_capture(trap.captures[0]).header.trouble
    assert {(each.role, each.variable) for each in trouble.tested} == {
        ("loss", ""), ("gradient", "good"), ("gradient", "bad"),
    }  # fmt: skip
    assert [(each.variable, each.pos_inf) for each in trouble.suspects] == [("bad", 1)]


def test_a_loss_from_elsewhere_has_nothing_to_be_written(tmp_path: Path) -> None:
    kernel = tf.Variable([0.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sqrt(kernel))
    with tensordbg.trap(tmp_path) as trap:
        tape.gradient(loss, kernel)  # the step began before the trap was set, so it is not known
        with tf.GradientTape() as tape, pytest.raises(tf.errors.InvalidArgumentError):
            tape.gradient(tf.sqrt(kernel), kernel)
    assert len(trap.captures) == 1
