"""Eagerly, a bad number that is only chosen from raises nothing; whatever else takes it has its line raise."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.finding import NOTHING_READ_IT
from tensordbg.tensorflow import disable_check_numerics
from tests.backends.tensorflow.checked import checking, raised


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    with checking():
        yield


P = np.array([0.5, 0.0, 0.25], np.float32)


def entropy(p: tf.Tensor) -> tf.Tensor:
    return -tf.reduce_sum(tf.where(p > 0, p * tf.math.log(p), 0.0))


def share(x: tf.Tensor, n: tf.Tensor) -> tf.Tensor:
    return tf.where(n > 0, x / n, tf.zeros_like(x))


@pytest.mark.parametrize(
    "program",
    [
        lambda p: entropy(p),
        lambda p: share(p, p),
        lambda p: tf.boolean_mask(tf.math.log(p), p > 0),
        lambda p: tf.gather_nd(tf.math.log(p), tf.where(p > 0)),
        lambda p: tf.math.multiply_no_nan(tf.math.log(p), p),
        lambda p: tf.where(tf.math.is_finite(1.0 / p), 1.0 / p, tf.ones_like(1.0 / p)),
        lambda p: tf.where(p > 0, tf.where(p > 0.1, tf.math.log(p), -1.0), 0.0),
        lambda p: tf.where(p > 1, tf.where(p < 1, tf.math.log(p), -1.0), 0.0),  # only the outer one leaves it out
        lambda p: tf.where(p > 0, tf.stack([tf.math.log(p), p])[0], 0.0),
        lambda p: tf.where(p > 0, tf.cast(tf.math.log(tf.cast(p, tf.bfloat16)), tf.float32), 0.0),
    ],
)
def test_what_is_left_out_ends_nothing(program: Callable[[tf.Tensor], tf.Tensor]) -> None:
    assert np.isfinite(program(tf.constant(P)).numpy()).all()
    assert np.isfinite(np.asarray(program(tf.constant(P)))).all()


def chosen(p: tf.Tensor) -> tf.Tensor:
    return tf.where(p >= 0, tf.math.log(p), 0.0)


v = tf.Variable(0.0)


@tf.function
def twice(x: tf.Tensor) -> tf.Tensor:
    return 2.0 * x


def differentiated(p: tf.Tensor) -> None:
    w = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(w)
        loss = tf.reduce_sum(w * chosen(p))
    tape.gradient(loss, w)


def multiplied(p: tf.Tensor) -> None:
    with tf.GradientTape() as tape:
        tape.watch(p)
        loss = tf.reduce_sum(tf.where(p > 0, p * tf.math.log(p), 0.0))
    tape.gradient(loss, p)


def by_numpy(p: tf.Tensor) -> None:
    array = np.asarray(chosen(p))
    assert float(array[0]) < 0


@pytest.mark.parametrize(
    "program",
    [
        lambda p: chosen(p).numpy(),
        lambda p: float(tf.reduce_sum(chosen(p))),
        lambda p: str(chosen(p)),
        lambda p: bool(chosen(p)[1] > 0),
        lambda p: v.assign(tf.reduce_sum(chosen(p))),
        lambda p: twice(chosen(p)),
        lambda p: tf.print(chosen(p)),
        lambda p: np.mean([chosen(p), chosen(p)]),
        lambda p: tf.data.Dataset.from_tensor_slices(chosen(p)),
        lambda p: tf.debugging.check_numerics(chosen(p), "mine"),
        lambda p: tf.where(p > 0, tf.math.log(p), 0.0) + float(tf.reduce_max(tf.math.log(p))),
        differentiated,
        multiplied,
        by_numpy,
    ],
)
def test_what_is_taken_by_anything_else_raises_what_made_it(program: Callable[[tf.Tensor], object]) -> None:
    said = raised(program, tf.constant(P))
    assert said is not None
    assert said.op_type == "Log"
    assert v.numpy() == 0


def test_the_line_that_made_it_is_named() -> None:
    said = raised(lambda: chosen(tf.constant(P)).numpy())
    assert said is not None
    assert "test_deferred.py (L" in said.message
    assert ") chosen: return tf.where(p >= 0, tf.math.log(p), 0.0)" in said.message


def test_what_nothing_takes_is_nothing() -> None:
    assert raised(lambda: [tf.math.log(tf.constant(P)), tf.where(P > 0, 1.0, 0.0)]) is None


def test_where_nothing_chooses_it_raises_at_once() -> None:
    reached = []

    def program() -> None:
        tf.math.log(tf.constant(P))
        reached.append(True)

    assert raised(program) is not None
    assert not reached


def test_no_profiler_stays() -> None:
    assert raised(by_numpy, tf.constant(P)) is not None
    assert sys.getprofile() is None


def test_a_recording_knows_what_is_read_all_the_same(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        disable_check_numerics()
        tf.math.log(tf.constant(P))
        kept = tf.math.log(tf.constant(P))
        with checking():
            assert np.isfinite(entropy(tf.constant(P)).numpy())
            assert raised(by_numpy, tf.constant(P)) is not None
        np.asarray(kept)
    origins = tensordbg.open(recording.path).why().origins
    assert any(each.consequential for each in origins)
    assert any(each.caught == NOTHING_READ_IT for each in origins)
