"""What raises in a Python function that a graph or a dataset calls: the line in it, and what it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.e2e.test_failure_beginnings import answer_of, line_of


def called_by_a_function() -> None:
    def load(place: Any) -> Any:
        table = [1, 2, 3]
        return np.float32(table[place])  # HERE

    @tf.function
    def step(i: tf.Tensor) -> tf.Tensor:
        return tf.py_function(load, [i * 3], tf.float32)

    step(tf.constant(0))
    step(tf.constant(2))


def called_by_a_dataset() -> None:
    def load(number: Any) -> Any:
        table = {0: 1.0, 6: 2.0, 9: 3.0, 12: 4.0}
        return np.float32(table[int(number)])  # HERE

    for _ in tf.data.Dataset.range(5).map(lambda n: tf.py_function(load, [n * 3], tf.float32)):
        pass


def called_by_the_dataset_of_a_fit() -> None:
    def load(number: Any) -> Any:
        if number > 5:
            raise RuntimeError(f"bad file {number}")  # HERE
        return np.float32([number])

    def make(number: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        x = tf.numpy_function(load, [number * 3], tf.float32)
        x.set_shape([1])
        return x, x

    model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(tf.data.Dataset.range(8).map(make).batch(2), verbose=0, shuffle=False)


def a_generator() -> None:
    def numbers() -> Iterator[Any]:
        for number in (3, 4):
            if number == 4:
                raise KeyError("no such file")  # HERE
            yield np.ones([number], np.float32)

    for _ in tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([None], tf.float32)):
        pass


CASES = [
    (called_by_a_function, "load() raised IndexError: list index out of range", "6"),
    (called_by_a_dataset, "load() raised KeyError: 3", "3"),
    (called_by_the_dataset_of_a_fit, "load() raised RuntimeError: bad file 6", ""),
    (a_generator, "numbers() raised KeyError: 'no such file'", ""),
]


@pytest.mark.parametrize(("program", "said", "given"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_line_in_the_python_function_is_told(
    program: Callable[[], None], said: str, given: str, tmp_path: Path
) -> None:
    failure, text = answer_of(program, tmp_path)
    began = failure["beginnings"][0]
    assert (began["what"], began["source"]["line"]) == ("python", line_of(program))
    assert began["explanation"] == said
    assert said in " ".join(text.split())
    assert "script_ops.py" not in text
    assert not given or [each["elements"] for each in failure["inputs"]] == [given]


def test_an_error_in_a_generator_is_told_as_that_of_its_line(
    tmp_path: Path,
) -> None:
    failure, text = answer_of(a_generator, tmp_path)
    assert failure["source"]["line"] == line_of(a_generator)
    assert failure["inputs"] == []
    assert [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"] == [
        "numbers() had been asked for 1 element before"
    ]
    assert "in numbers()" in text
    assert "generator_next_fn" not in text


def test_an_element_of_a_generator_that_is_refused_is_told_at_the_yield(tmp_path: Path) -> None:
    def program() -> None:
        def numbers() -> Iterator[Any]:
            number = "four"
            yield number  # HERE

        list(tf.data.Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.float32)))

    failure, text = answer_of(program, tmp_path)
    assert failure["source"]["text"].endswith("# HERE")
    assert "generator_next_fn" not in text


def standardised(signal: Any) -> Any:
    with np.errstate(all="ignore"):
        return (signal - signal.mean()) / signal.std()


def test_a_nan_that_a_python_function_makes_of_finite_numbers(tmp_path: Path) -> None:
    """One signal of the data is constant: its row is as good as others, and what the function makes of it is not."""
    signals = np.random.default_rng(0).normal(size=[8, 5]).astype(np.float32)
    signals[6] = 5.0
    with tensordbg.record(tmp_path) as recording:
        data = tf.data.Dataset.from_tensor_slices(signals)
        data = data.map(lambda signal: tf.numpy_function(standardised, [signal], tf.float32)).batch(4)
        for batch in data:
            tf.function(tf.reduce_sum)(batch)
    (origin,) = tensordbg.open(recording.path).why().origins
    assert origin.cause == "bad_input_data"
    assert "was given, " in origin.explanation
    assert origin.explanation.endswith(", was finite.")
    assert origin.suggestion.startswith("Look into that function")


def test_a_nan_that_numpy_writes_into_the_weights_of_a_model(tmp_path: Path) -> None:
    """A mean of no steps, as of weights in a callback: not the first value of the variable, nor a checkpoint."""
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    with tensordbg.record(tmp_path) as recording, np.errstate(all="ignore"):
        model(np.ones([2, 3], np.float32))
        model.set_weights([np.zeros_like(weight) / np.float32(0) for weight in model.get_weights()])
        model(np.ones([2, 3], np.float32))
    origin = tensordbg.open(recording.path).why().origins[0]
    assert origin.cause == "bad_variable"
    assert origin.suggestion.startswith("Look at how that line comes to the value")
