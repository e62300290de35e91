"""An operation of a functional model stands at the line that put it in, however the model is run."""

from __future__ import annotations

import copy
import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
from keras.src.ops.operation import Operation

import tensordbg
import tensordbg.tensorflow
from tests.backends.tensorflow.recorded import Recorded, record

ROWS = np.array([[2.0, 4.0], [0.0, 1.0]], "float32")


def ratios() -> keras.Model:
    """A model that divides in two lines."""
    keras.utils.clear_session()
    given = keras.Input((2,))
    first = given[:, :1] / given[:, 1:]
    second = keras.ops.divide(first, given[:, :1])
    return keras.Model(given, [first, second])


def line_of(text: str) -> int:
    """The number of the line of this file's model that holds a text."""
    lines, first = inspect.getsourcelines(ratios)
    return first + next(number for number, line in enumerate(lines) if text in line)


DIVIDING = [line_of("first = given"), line_of("keras.ops.divide")]


def dividing_lines(recorded: Recorded) -> list[int]:
    """The innermost lines of this file at which the divisions of a recording were made, by their sites."""
    stacks = recorded.reader.stacks()
    found = {number: stacks[site.stack] for number, site in recorded.sites.items() if site.op_type == "RealDiv"}
    return [next(frame.line for frame in reversed(found[number]) if frame.file == __file__) for number in sorted(found)]


def eagerly() -> None:
    ratios()(ROWS)


def in_a_function() -> None:
    ratios().predict(ROWS, verbose=0)


def within_a_layer() -> None:
    inner = ratios()

    class Around(keras.layers.Layer):  # type: ignore[misc]
        def call(self, given: Any) -> Any:
            return inner(given)

    Around()(ROWS)


@pytest.mark.parametrize("program", [eagerly, in_a_function, within_a_layer])
def test_an_operation_stands_where_it_was_put_in(tmp_path: Path, program: Callable[[], None]) -> None:
    assert dividing_lines(record(tmp_path, program)) == DIVIDING


def test_of_a_copy_nobody_wrote_the_operations(tmp_path: Path) -> None:
    model = ratios()

    def program() -> None:
        keras.models.clone_model(model)(ROWS)

    lines = dividing_lines(record(tmp_path, program))
    assert lines
    assert not {*lines} & {*DIVIDING}


def test_a_check_names_the_line() -> None:
    tensordbg.tensorflow.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            ratios()(ROWS[:, ::-1] * 0)
    finally:
        tensordbg.tensorflow.disable_check_numerics()
    assert f"(L{DIVIDING[0]})" in str(caught.value)


def test_an_error_in_it_is_told_as_it_is_without_us(tmp_path: Path) -> None:
    keras.utils.clear_session()
    given = keras.Input((None,))
    model = keras.Model(given, keras.ops.reshape(given, (3, 4)))

    def frames() -> list[str]:
        with pytest.raises(Exception, match="reshape") as caught:
            model(ROWS)
        return [str(each) for each in traceback.extract_tb(caught.value.__traceback__)]

    plain = frames()
    with tensordbg.record(tmp_path):
        given = keras.Input((None,))
        model = keras.Model(given, keras.ops.reshape(given, (3, 4)))
        recorded = frames()
    assert recorded == plain


def test_a_model_is_saved_and_copied_and_the_hooks_go(tmp_path: Path) -> None:
    before = Operation.__call__, Operation.symbolic_call
    with tensordbg.record(tmp_path / "trace"):
        model = ratios()
        model(ROWS)
        model.save(tmp_path / "model.keras")
        twins = [keras.models.load_model(tmp_path / "model.keras"), copy.deepcopy(model)]
        given = [np.asarray(twin(ROWS)[0]) for twin in twins]
    assert (Operation.__call__, Operation.symbolic_call) == before
    for each in given:
        np.testing.assert_array_equal(each, np.asarray(model(ROWS)[0]))
