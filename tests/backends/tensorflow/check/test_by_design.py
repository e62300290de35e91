"""Infinities that are meant end no healthy program, and what is made of them is seen all the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.check.by_design import is_of_tensorflow, is_written, is_written_by_tensorflow
from tensordbg.model import Frame
from tests.backends.tensorflow.checked import checking, raised

v1 = tf.compat.v1

LOGITS = np.random.default_rng(1).normal(size=(12, 2, 6)).astype(np.float32)
LABELS = np.array([[1, 2, 2, 3], [2, 4, 0, 0]], np.int32)
CAUSAL = np.where(np.tri(4) > 0, 0.0, -np.inf).astype(np.float32)

Program = Callable[[tf.Tensor], tf.Tensor]


def aligned(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.ctc_loss(tf.constant(LABELS), x + LOGITS, tf.constant([4, 2]), tf.constant([12, 9]), blank_index=0)


def clipped_at_a_minimum(x: tf.Tensor) -> tf.Tensor:
    return tf.clip_by_global_norm([x], 1.0)[0][0]


def attention(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.softmax(tf.where(tf.linalg.band_part(tf.ones([4, 4]), -1, 0) > 0.0, x, -np.inf) * 2.0)


def smallest(x: tf.Tensor) -> tf.Tensor:
    best = tf.constant(np.inf)
    for number in range(3):
        best = tf.minimum(best, x + number)
    return best


def paths_of_a_chain(x: tf.Tensor) -> tf.Tensor:
    scores = tf.constant([0.0, -np.inf, -np.inf]) + x
    ways = tf.constant([[0.0, -np.inf, -np.inf], [-np.inf, 0.0, -np.inf], [-np.inf, -np.inf, 0.0]])
    for _ in range(2):
        scores = tf.reduce_logsumexp(scores[:, None] + ways, axis=0)
    return tf.reduce_max(scores)


def largest_of_none(x: tf.Tensor) -> tf.Tensor:
    largest = tf.reduce_max(tf.zeros([0, 3]) + x, axis=0)
    return tf.where(tf.math.is_inf(largest), 0.0, largest) + 1.0


def eagerly(program: Program) -> None:
    program(tf.constant(0.0))


def in_a_function(program: Program) -> None:
    tf.function(program)(tf.constant(0.0))


def in_a_session(program: Program) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        session.run(program(x), {x: 0.0})


WAYS = pytest.mark.parametrize("way", [eagerly, in_a_function, in_a_session])


@WAYS
@pytest.mark.parametrize(
    "program", [aligned, clipped_at_a_minimum, attention, smallest, paths_of_a_chain, largest_of_none]
)
def test_a_healthy_program_is_not_stopped(program: Program, way: Callable[[Program], None]) -> None:
    with checking():
        assert raised(way, program) is None


def masked_as_a_whole(x: tf.Tensor) -> tf.Tensor:
    return tf.nn.softmax(tf.where([False, False], x, -np.inf))


def difference(x: tf.Tensor) -> tf.Tensor:
    limit = tf.constant(np.inf)
    return tf.abs(x + limit) - limit


def of_equal_images(x: tf.Tensor) -> tf.Tensor:
    images = tf.ones([1, 4, 4, 3]) + x
    return tf.image.psnr(images, images, 1.0) * 0.5


@WAYS
@pytest.mark.parametrize(
    ("program", "op_type"),
    [(masked_as_a_whole, "Softmax"), (difference, "Sub"), (of_equal_images, "Mul"), (tf.math.log, "Log")],
)
def test_what_is_made_of_them_is_found(program: Program, op_type: str, way: Callable[[Program], None]) -> None:
    with checking():
        found = raised(way, program)
    assert found is not None
    assert found.op_type == op_type


def test_a_mask_may_come_from_outside_but_no_infinity_among_numbers() -> None:
    def masked(x: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        return tf.nn.softmax(x + mask)

    with checking():
        assert raised(tf.function(masked), tf.ones([4, 4]), CAUSAL) is None
        found = raised(tf.function(masked), tf.ones([4, 4]), CAUSAL + np.arange(4, dtype=np.float32))
    assert found is not None
    assert found.op_type == "AddV2"


def test_the_logarithm_of_a_mask_is_meant_but_not_that_of_probabilities() -> None:
    def attended(logits: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
        return tf.nn.softmax(logits + tf.math.log(1.0 - tf.cast(keep, tf.float32)[None]))

    def of_lengths(logits: tf.Tensor, lengths: tf.Tensor) -> tf.Tensor:
        return tf.reduce_logsumexp(logits + tf.math.log(tf.sequence_mask(lengths, 4, dtype=tf.float32)))

    def saturated(logits: tf.Tensor, label: tf.Tensor) -> tf.Tensor:
        return -tf.gather(tf.math.log(tf.nn.softmax(logits * 1e4)), label)

    def of_counts(logits: tf.Tensor, counts: tf.Tensor) -> tf.Tensor:
        return logits + tf.math.log(tf.cast(counts, tf.float32))

    logits = tf.constant([1.0, 2.0, 3.0, 4.0])
    with checking():
        assert raised(tf.function(attended), logits, tf.constant([True, False, True, False])) is None
        assert raised(tf.function(of_lengths), logits, tf.constant(2)) is None
        found = raised(tf.function(saturated), logits, tf.constant(0))
        given = raised(tf.function(lambda p, _: tf.math.log(p)), tf.constant([0.0, 1.0]), tf.constant(0))
        counted = raised(tf.function(of_counts), logits, tf.constant([0, 1, 1, 0]))
    assert [each and each.op_type for each in (found, given, counted)] == ["Log"] * 3


def test_slots_of_a_graph_with_a_mask_are_looked_at() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        weight = v1.get_variable("weight", initializer=tf.ones([4]))
        loss = tf.reduce_sum(tf.nn.softmax(weight + CAUSAL[1]) * weight) * 1e25
        step = v1.train.AdamOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        with checking():
            found = raised(session.run, step)
    assert found is not None
    assert "of a variable made bad by ResourceApplyAdam" in found.message


@pytest.mark.parametrize(
    ("elements", "expected"),
    [
        ([np.inf], True),
        ([0.0, -np.inf, 0.0], True),
        ([1.0, 2.0, np.inf], False),
        ([np.nan, np.inf], False),
        ([1.0], False),
        ([], False),
    ],
)
def test_what_is_written_down(elements: list[float], expected: bool) -> None:
    assert is_written(np.array(elements, np.float16)) is expected


def test_whose_purpose_an_operation_serves() -> None:
    program = Frame("/me/train.py", 1, "step", True)
    operator = Frame("/site/tensorflow/python/ops/gen_math_ops.py", 2, "log", False)
    wrapper = Frame("/site/tensorflow/python/util/dispatch.py", 3, "op_dispatch_handler", False)
    own = Frame("/site/tensorflow/python/ops/ctc_ops.py", 4, "ctc_loss_v3", False)
    loop = Frame("/site/tensorflow/python/ops/map_fn.py", 5, "map_fn", False)
    gradient = Frame("/site/tensorflow/python/ops/ctc_grad.py", 6, "_grad", False)
    assert is_of_tensorflow((program, own, wrapper, operator))
    assert not is_of_tensorflow((program, wrapper, operator))
    assert not is_of_tensorflow((program, own, program, wrapper, operator))
    assert not is_of_tensorflow((program, loop, operator))
    assert not is_of_tensorflow((program, gradient, operator))
    assert is_written_by_tensorflow([loop.file, program.file])
    assert not is_written_by_tensorflow([operator.file, program.file])
