"""Mistakes of a program's first hour, as a user runs it: what `tdbg run` says at the end tells what to change."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests import programs
from tests.cli.conftest import COMMAND


def uneven_part(folder: Path, program: str) -> str:
    """What is said of the error behind the program's own traceback, in one line."""
    (folder / "train.py").write_text(program)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "COLUMNS": "120"}
    command = [*COMMAND, "run", "train.py"]
    done = programs.run(command, cwd=folder, env=environment, capture_output=True, check=False, text=True)
    assert done.returncode == 1, done.stderr
    return " ".join(done.stderr[done.stderr.rindex("\nraised ") :].split())


LABELS = """
import numpy as np
import tensorflow as tf
from tensordbg.tensorflow import trace_data

x = np.random.RandomState(0).normal(size=(12, 3)).astype(np.float32)
y = np.array([0, 1, 2, 0, 1, 2, 3, 0, 1, 2, 0, 1])
data = trace_data(tf.data.Dataset.from_tensor_slices((x, y))).shuffle(12, seed=1).batch(4)
w = tf.Variable(tf.ones([3, 3]))


@tf.function
def step(x, y):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ w))


for x, y in data:
    step(x, y)
"""

MAPPED = """
import tensorflow as tf
from tensordbg.tensorflow import trace_data

table = tf.range(20)


def parse(number):
    place = number * 3
    return tf.gather(table, place)


for batch in trace_data(tf.data.Dataset.range(12)).map(parse).batch(4):
    pass
"""


def test_the_element_that_a_step_was_given(tmp_path: Path) -> None:
    assert "data row 1 of IteratorGetNext:1 came from element 6 " in uneven_part(tmp_path, LABELS)


def test_the_element_that_a_pipelines_function_was_called_for(tmp_path: Path) -> None:
    assert "data this call was for element 7 " in uneven_part(tmp_path, MAPPED)


def test_without_origins_only_the_call_is_told(tmp_path: Path) -> None:
    plain = MAPPED.replace("from tensordbg.tensorflow import trace_data\n", "").replace("trace_data(", "(")
    assert "value mul:0 made 21 of 7 and 3" in (told := uneven_part(tmp_path, plain))
    assert " calls of " in told
    assert "this call was for" not in told


def test_of_calls_at_the_same_time_none_is_called_the_element_of_its_number(tmp_path: Path) -> None:
    plain = MAPPED.replace("from tensordbg.tensorflow import trace_data\n", "").replace("trace_data(", "(")
    told = uneven_part(tmp_path, plain.replace("map(parse)", "map(parse, num_parallel_calls=2)"))
    assert "data this call of parse() was given number 7; several run at a time, and " in told


RESHAPED = """
import tensorflow as tf


@tf.function
def heads(x, n):
    batch = tf.shape(x)[0]
    size = tf.shape(x)[1] // n
    return tf.reshape(x, [batch, n, size])


heads(tf.ones([4, 12]), tf.constant(3))
heads(tf.ones([4, 10]), tf.constant(3))
"""

PADDED = """
import tensorflow as tf

texts = tf.data.Dataset.from_tensor_slices(["a b", "a b c d e", "a"])


def split(text):
    words = tf.strings.split(text)
    return words


for batch in texts.map(split).padded_batch(3, padded_shapes=[4]):
    pass
"""

LABEL_TYPE = """
import numpy as np
import tensorflow as tf

x, y = np.ones((8, 3), np.float32), np.array([0, 1, 2, 0, 1, 2, 0, 1], np.float32)
w = tf.Variable(tf.ones([3, 3]))


@tf.function
def step(x, y):
    logits = x @ w
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))


for x, y in tf.data.Dataset.from_tensor_slices((x, y)).batch(4):
    step(x, y)
"""

LOSS = """
import keras
import numpy as np
import tensorflow as tf

model = keras.Sequential([keras.layers.Dense(3)])


@tf.function
def train(x, y):
    with tf.GradientTape():
        prediction = model(x)
        return keras.losses.sparse_categorical_crossentropy(y, prediction, from_logits=True)


train(tf.ones([10, 4]), tf.zeros([9], tf.int64))
"""

WORDS = """
import keras
import numpy as np

words = np.random.RandomState(0).randint(0, 1000, (32, 12))
words[3, 4] = 1000
model = keras.Sequential([keras.layers.Embedding(1000, 8), keras.layers.Flatten(), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(words, np.ones((32, 1)), shuffle=False, verbose=0)
"""


def test_the_size_that_was_asked_for(tmp_path: Path) -> None:
    told = uneven_part(tmp_path, RESHAPED)
    assert "its inputs are x:0 float32[4, 10] and Reshape/shape:0 [4, 3, 3]" in told
    assert "size floordiv:0 made 3 of 10 and 3 train.py:8 size = tf.shape(x)[1] // n" in told


def test_the_element_that_is_larger_than_what_it_is_padded_to(tmp_path: Path) -> None:
    told = uneven_part(tmp_path, PADDED)
    assert "made [5] of [1], and its element is padded to [4] train.py:8 words = tf.strings.split(text)" in told


def test_the_parameter_that_is_of_a_wrong_type(tmp_path: Path) -> None:
    told = uneven_part(tmp_path, LABEL_TYPE)
    assert "in list of allowed values: int32, int64; its input y:0 is float32[4]" in told
    assert "matmul" not in told


def test_rows_that_are_not_as_many(tmp_path: Path) -> None:
    told = uneven_part(tmp_path, LOSS)
    line = "train.py:16 train(tf.ones([10, 4]), tf.zeros([9], tf.int64))"
    assert f"shape Fill:0 made [9] {line}" in told
    assert f"shape Fill:0 made [10, 4] {line}" in told


def test_a_word_beyond_the_vocabulary(tmp_path: Path) -> None:
    told = uneven_part(tmp_path, WORDS)
    assert "indices[3,4] = 1000 is not in [0, 1000)" in told
    assert "took it out of the input pipeline with 1000 among its numbers" in told


PYTHON_FUNCTION = """
import numpy as np
import tensorflow as tf

prices = {"apple": 1.5, "pear": 2.0}


def price(name, number):
    cost = prices[name]
    return np.float32(cost * number)


print(tf.CALL(price, [tf.constant("apple"), tf.constant(2)], tf.float32))
"""


@pytest.mark.parametrize("way", ["numpy_function", "py_function"])
def test_the_line_in_a_python_function_that_is_called_eagerly(way: str, tmp_path: Path) -> None:
    told = uneven_part(tmp_path, PYTHON_FUNCTION.replace("CALL", way))
    assert "unhashable" in told
    assert "train.py:9" in told
    assert "cost = prices[name]" in told


JOINED = """
import tensorflow as tf

prices = tf.constant([1.5, 2.0])
counts = tf.constant([3, 4])


def joined(first, second):
    return tf.concat([first, second], axis=0)


def table():
    try:
        return joined(prices, counts)
    except tf.errors.InvalidArgumentError as error:
        raise RuntimeError("no table") from error


JOIN
"""


def test_what_an_eager_operation_that_failed_was_given_bears_the_programs_names(tmp_path: Path) -> None:
    told = uneven_part(tmp_path, JOINED.replace("JOIN", "table()"))
    assert "its inputs are first:0 float32[2], second:0 [3, 4] and 0:0 0" in told, told


def test_the_odd_type_among_those_of_a_list(tmp_path: Path) -> None:
    program = JOINED.replace("JOIN", "tf.function(joined)(prices * 2.0, tf.range(2))")
    told = uneven_part(tmp_path, program)
    assert "have types [float32, int32] that don't all match" in told
    line = "train.py:19 tf.function(joined)(prices * 2.0, tf.range(2))"
    assert f"type it came in from Python with int32 {line}" in told, told
