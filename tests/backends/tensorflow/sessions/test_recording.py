"""Runs of a session that is watched already are recorded too; what is left out is not."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

import tensordbg
from tests.backends.tensorflow.recorded import read

v1 = tf.compat.v1


def test_a_session_is_recorded_twice(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        y = tf.exp(v1.placeholder_with_default(1.0, [], name="x"), name="y")
        for number in range(2):
            with tensordbg.record(tmp_path / str(number)) as recording:
                session.run(y)
                session.run(y)
            recorded = read(recording.path)
            assert [event.step for event in recorded.of("y")] == [0, 1]


def test_one_run_in_two(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        y = tf.exp(v1.placeholder_with_default(1.0, [], name="x"), name="y")
        with tensordbg.record(tmp_path, every=2) as recording:
            results = [session.run(y) for _ in range(5)]
        recorded = read(recording.path)
        assert [event.step for event in recorded.of("y")] == [0, 2, 4]
        assert len(set(results)) == 1
