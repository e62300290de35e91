"""A TensorArray that was written or read beyond its end is told with index, size, what was written, and its line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.finding import ProgramFailure
from tensordbg.analysis.why import why
from tensordbg.trace.reader import open_trace


def eagerly_from_numbers() -> None:
    array = tf.TensorArray(tf.float32, size=3)
    for place in range(4):
        array = array.write(place, tf.constant([1.0 + place, 2.0]))


def eagerly_by_name() -> None:
    array = tf.TensorArray(tf.float32, size=3)
    for place in range(4):
        row = tf.constant([1.0 + place, 2.0])
        array = array.write(place, row)


def eagerly_computed() -> None:
    array = tf.TensorArray(tf.float32, size=3)
    for place in range(4):
        row = tf.constant([1.0 + place, 2.0]) * 1.0
        array = array.write(place, row)


@tf.function
def _in_a_loop(count: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=3)  # HERE
    for place in tf.range(count):
        row = tf.stack([1.0 + tf.cast(place, tf.float32), 2.0])
        array = array.write(place, row)
    return array.stack()


@tf.function
def _reading(place: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0])
    return array.read(place)


def in_a_loop() -> None:
    _in_a_loop(tf.constant(4))


def reading_in_a_function() -> None:
    _reading(tf.constant(5))


def reading_eagerly() -> None:
    tf.TensorArray(tf.float32, size=3).unstack([1.0, 2.0, 3.0]).read(5)


def _failure(folder: Path, program: Callable[[], None]) -> ProgramFailure:
    with contextlib.suppress(tf.errors.OpError), tensordbg.record(folder) as recording:
        program()
    (found,) = why(open_trace(recording.path)).failures
    return found


def _size(found: ProgramFailure) -> str:
    (told,) = [each.explanation for each in found.beginnings if each.what == "size"]
    assert not [each for each in found.beginnings if each.what == "shape"]
    return told


@pytest.mark.parametrize("program", [eagerly_from_numbers, eagerly_by_name, eagerly_computed])
def test_written_eagerly(tmp_path: Path, program: Callable[[], None]) -> None:
    found = _failure(tmp_path, program)
    assert _size(found) == "TensorArray of size 3 written at index 3, which has 0 to 2"
    (given,) = found.inputs
    assert given.elements == "[4, 2]"
    assert given.tensor == {"eagerly_by_name": "row", "eagerly_computed": "Mul:0"}.get(program.__name__, "tensor")


def test_written_in_a_loop_of_a_function(tmp_path: Path) -> None:
    found = _failure(tmp_path, in_a_loop)
    assert _size(found) == "TensorArray of size 3 written at index 3, which has 0 to 2; it was made here"
    (source,) = [each.source for each in found.beginnings if each.what == "size"]
    assert source is not None
    assert source.text.endswith("# HERE")
    assert [given.elements for given in found.inputs][-1] == "[4, 2]"


@pytest.mark.parametrize("program", [reading_eagerly, reading_in_a_function])
def test_read(tmp_path: Path, program: Callable[[], None]) -> None:
    assert _size(_failure(tmp_path, program)).startswith("TensorArray of size 3 read at index 5, which has 0 to 2")
