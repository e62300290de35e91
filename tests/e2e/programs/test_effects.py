"""Operations with side effects: tables, queues, staging areas, files, images, variables of every kind, methods."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.programs.checking import Program, check


def lookup_tables() -> object:
    keys, values = tf.constant(["a", "b"]), tf.constant([0.0, 2.0])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), -1.0)
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)

    @tf.function
    def program(words: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        counts.insert(words, counts.lookup(words) + 1)
        return tf.math.log(table.lookup(words)), counts.lookup(words)  # HERE

    return [program(tf.constant(words)) for words in (["b"], ["a"], ["b"])]


def queues() -> object:
    queue = tf.queue.FIFOQueue(4, [tf.float32], shapes=[[2]])

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        queue.enqueue(x)
        queue.enqueue(x * 2.0)
        first = queue.dequeue()
        return 1.0 / (queue.dequeue() - first)  # HERE

    return program(tf.constant([1.0, 0.0]))


def staging() -> object:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        put = tf.raw_ops.Stage(values=[x * 2.0], container="", shared_name="programs_staging")
        with tf.control_dependencies([put]):
            (taken,) = tf.raw_ops.Unstage(dtypes=[tf.float32], container="", shared_name="programs_staging")
        return taken + 1.0

    return program(tf.constant([1.0, 2.0]))


def files_and_images() -> object:
    @tf.function
    def program(pixels: tf.Tensor) -> list[tf.Tensor]:
        image = tf.cast(tf.io.decode_png(tf.io.encode_png(pixels)), tf.float32)
        small = tf.image.resize(image, [2, 2])
        standard = tf.image.per_image_standardization(small)
        parts = tf.io.parse_tensor(tf.io.serialize_tensor(small), tf.float32)
        return [standard, tf.image.adjust_contrast(small, 2.0), parts / (parts - parts[0, 0])]  # HERE

    return program(tf.constant(np.arange(48).reshape(4, 4, 3), tf.uint8))


def variables_of_every_kind() -> object:
    numbers = tf.Variable(tf.zeros([2]), shape=tf.TensorShape(None))
    whole, flag = tf.Variable(1, dtype=tf.int32), tf.Variable(True)
    table = tf.Variable(tf.ones([3, 2]))

    @tf.function
    def step(x: tf.Tensor) -> list[tf.Tensor]:
        numbers.assign(tf.concat([x, x], 0))
        whole.assign_add(2)
        flag.assign(tf.logical_not(flag))
        table[1].assign(x)
        table.scatter_nd_add([[2, 0]], [x[0]])
        return [1.0 / table.read_value(), numbers.read_value(), whole.read_value(), flag.read_value()]  # HERE

    return step(tf.constant([0.0, 2.0]))


def methods() -> object:
    class Counter:
        """A class whose methods are functions, with optional arguments of Python."""

        def __init__(self) -> None:
            self.total = tf.Variable(0.0)

        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def add(self, x: tf.Tensor) -> tf.Tensor:
            return self.total.assign_add(x)

        @tf.function(reduce_retracing=True)
        def mean(self, *parts: tf.Tensor, scale: float = 1.0) -> tf.Tensor:
            return self.total / tf.cast(len(parts), tf.float32) * tf.math.log(scale * tf.add_n(parts))  # HERE

    counter = Counter()
    one = tf.constant(1.0)
    return counter.add(one), counter.mean(one, one), counter.mean(one, scale=2.0), counter.mean(one, scale=0.0)


def variables_made_in_the_first_call() -> object:
    class Lazy(tf.Module):
        weight: tf.Variable | None = None

        @tf.function
        def __call__(self, x: tf.Tensor) -> tf.Tensor:
            if self.weight is None:
                self.weight = tf.Variable(tf.zeros([2]))
            return x / self.weight  # HERE

    return Lazy()(tf.ones(2))


def nested_structures() -> object:
    @tf.function
    def program(batch: dict[str, tf.Tensor], pair: tuple[tf.Tensor, list[tf.Tensor]]) -> dict[str, object]:
        return {"sum": batch["a"] + pair[0], "rest": (tf.sqrt(pair[1][0]), {"b": batch["b"]})}  # HERE

    return program({"a": tf.ones(1), "b": tf.zeros([0])}, (tf.ones(1), [tf.constant(-1.0)]))


def random_numbers() -> object:
    tf.random.set_seed(3)
    generator = tf.random.Generator.from_seed(1)

    @tf.function
    def program() -> list[tf.Tensor]:
        seeds = [1, 2]
        return [
            tf.random.normal([2]),
            tf.random.stateless_uniform([2], seeds),
            generator.normal([2]),
            tf.nn.dropout(tf.ones([4]), 0.5),
        ]

    return program(), program(), tf.random.shuffle(tf.range(5)), generator.uniform([1])


def linear_algebra_and_signals() -> object:
    @tf.function
    def program(x: tf.Tensor) -> list[tf.Tensor]:
        values, _ = tf.linalg.eigh(x)
        spectrum = tf.abs(tf.signal.stft(tf.reshape(x, [-1]), 2, 1))
        return [values, spectrum, tf.linalg.det(x), tf.math.log(tf.linalg.det(x - x))]  # HERE

    return program(tf.constant([[2.0, 1.0], [1.0, 3.0]]))


PROGRAMS: list[Program] = [
    lookup_tables,
    queues,
    staging,
    files_and_images,
    variables_of_every_kind,
    methods,
    variables_made_in_the_first_call,
    nested_structures,
    random_numbers,
    linear_algebra_and_signals,
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)
