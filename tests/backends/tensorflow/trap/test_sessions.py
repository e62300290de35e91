"""What a trap says of trainings in sessions."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.trap.sessions import SessionSteps

v1 = tf.compat.v1


def weight_and_loss() -> tuple[tf.Tensor, tf.Tensor]:
    weight = v1.get_variable("weight", [2], initializer=v1.ones_initializer())
    return weight, tf.reduce_sum(tf.math.log(weight - 1.0))


def test_a_training_in_a_session_is_told_once() -> None:
    said: list[str] = []
    looking = SessionSteps(lambda _: contextlib.nullcontext(), said.append)
    looking.install()
    with tf.Graph().as_default(), v1.Session() as session:
        _, loss = weight_and_loss()
        session.run(v1.global_variables_initializer())
        session.run(loss)
        assert said == []
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        for _ in range(2):
            session.run(train)
        train.run()
    looking.uninstall()
    assert [each.split(",")[0] for each in said] == ["the program trains in a session of TensorFlow 1"]


def test_a_trap_says_so_and_lets_the_program_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tensordbg.trap(tmp_path), tf.Graph().as_default(), v1.Session() as session:
        _, loss = weight_and_loss()
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        session.run(train)
    assert capsys.readouterr().err.count("`tdbg run --check` ends it at the first infinity or NaN") == 1
