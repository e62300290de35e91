"""Whole numbers that are meant to go round, or that don't: of these nothing is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.allowed import AllowRule
from tensordbg.wire.why import why_to_json

BRIGHT = np.full([4, 4, 3], 200, np.uint8)


def a_hash_of_letters() -> None:
    @tf.function
    def hashed(codes: tf.Tensor) -> tf.Tensor:
        state = tf.constant(5381)
        for code in codes:
            state = state * 33 + code
        return state

    hashed(tf.range(40))


def a_hash_by_words() -> None:
    state = tf.constant(2166136261, tf.uint32)
    for code in range(10):
        state = tf.bitwise.bitwise_xor(state, tf.constant(code, tf.uint32)) * tf.constant(16777619, tf.uint32)


def a_hash_that_is_brought_into_a_range() -> None:
    @tf.function
    def buckets(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        return tf.math.floormod(a * b + a, 1000)

    buckets(tf.constant([70000, 80000]), tf.constant([90000, 65537]))


def a_generator_of_random_numbers() -> None:
    state = tf.constant(42)
    for _ in range(20):
        state = state * 1103515245 + 12345


def bits_put_together() -> None:
    low, high = tf.constant([1, 200], tf.uint8), tf.constant([255, 7], tf.uint8)
    tf.bitwise.bitwise_and(low + high, tf.constant(15, tf.uint8))


def texts_in_buckets() -> None:
    texts = tf.constant(["a", "b", "c"] * 10)
    tf.cast(tf.strings.to_hash_bucket_fast(texts, 2**62), tf.int32)
    tf.cast(tf.strings.to_hash_bucket_strong(texts, 1000, [1, 2]), tf.int32) * 2


def random_numbers_of_tensorflow_and_keras() -> None:
    tf.random.set_seed(2**31 - 1)
    tf.random.Generator.from_seed(2**62).normal([4])
    tf.random.stateless_uniform([4], [2**31 - 1, 7], maxval=100, dtype=tf.int32)
    tf.random.uniform([4], maxval=2**31 - 1, dtype=tf.int32)
    tf.random.experimental.index_shuffle(3, [1, 2], 10)
    keras.layers.Dropout(0.5, seed=2**31 - 1)(tf.ones([4]), training=True)
    keras.random.normal([3], seed=keras.random.SeedGenerator(5))
    list(tf.data.Dataset.range(10).shuffle(5, seed=2**31 - 1))


def images_of_bytes() -> None:
    image = tf.constant(BRIGHT)
    for change in (tf.image.adjust_brightness, tf.image.adjust_contrast, tf.image.adjust_saturation):
        change(image, 0.7)
    tf.image.convert_image_dtype(tf.constant([[[0.2, 1.3, -2.0]]]), tf.uint8, saturate=True)
    tf.saturate_cast(tf.constant([300, -5]), tf.uint8)
    tf.image.resize(image, [8, 8], method="bicubic")
    keras.layers.RandomBrightness(0.5, seed=1)(image[None], training=True)
    tf.cast(tf.clip_by_value(tf.cast(image, tf.int32) + 100, 0, 255), tf.uint8)


def numbers_at_the_ends_of_their_types() -> None:
    tf.constant([127, 255], tf.uint8) + tf.constant([128, 0], tf.uint8)
    tf.constant([2**31 - 1, -(2**31)]) + tf.constant([0, 0])
    tf.abs(tf.constant([-127, 127], tf.int8))
    tf.constant([46340, -46340]) ** 2
    tf.constant([5, 9], tf.uint8) - tf.constant([5, 1], tf.uint8)
    tf.reduce_sum(tf.constant([[100, 155]], tf.uint8), axis=1)
    tf.cumsum(tf.constant([100, 100, 55], tf.uint8), exclusive=True)
    tf.cumsum(tf.constant([1, 100]), exclusive=True)
    tf.cumsum(tf.constant([3, -5, 2]), reverse=True)
    tf.cast(tf.constant([255.9, -0.5]), tf.uint8)
    tf.reduce_sum(tf.constant([], tf.int32))
    tf.cast(tf.constant([2**40], tf.int64), tf.float32)


def counters_and_positions() -> None:
    step = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def advance(ids: tf.Tensor) -> tf.Tensor:
        step.assign_add(1)
        rows = tf.range(tf.shape(ids)[0]) * tf.shape(ids)[1]
        return tf.reshape(rows[:, None] + ids, [-1]) - 1

    for _ in range(10):
        advance(tf.random.uniform([3, 4], maxval=4, dtype=tf.int32))


MEANT = [
    a_hash_of_letters, a_hash_by_words, a_hash_that_is_brought_into_a_range, a_generator_of_random_numbers,
    bits_put_together, texts_in_buckets, random_numbers_of_tensorflow_and_keras, images_of_bytes,
    numbers_at_the_ends_of_their_types, counters_and_positions,
]  # fmt: skip


def warnings_of(program: Callable[[], None], folder: Path, *rules: AllowRule) -> list[tuple[str, str]]:
    with tensordbg.record(folder, allow=rules) as recording:
        program()
    answer = why_to_json(tensordbg.open(recording.path).why())
    assert answer["tensor_events"] > 0
    return [(each["kind"], each["explanation"]) for each in answer["warnings"]]


@pytest.mark.parametrize("program", MEANT, ids=lambda program: program.__name__)
def test_what_is_meant_is_no_trouble(program: Callable[[], None], tmp_path: Path) -> None:
    assert warnings_of(program, tmp_path) == []


def brighter() -> None:
    tf.constant(BRIGHT) + tf.constant(100, tf.uint8)


def test_the_numbers_are_told(tmp_path: Path) -> None:
    ((kind, told),) = warnings_of(brighter, tmp_path)
    assert kind == "wrapped_integers"
    assert "of uint8 went round: 200 and 100 gave 44" in told


def test_a_rule_allows_it(tmp_path: Path) -> None:
    assert warnings_of(brighter, tmp_path, AllowRule(op="AddV2")) == []


def test_what_was_made_of_it_is_not_told_again(tmp_path: Path) -> None:
    def program() -> None:
        area = tf.constant([60000, 70000]) * tf.constant([60000, 70000])
        tf.reduce_sum(area * 70000)

    assert len(warnings_of(program, tmp_path)) == 1
