"""Snapshots of a program are found again when it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.backends.tensorflow.recorded import record

Pipeline = Callable[[Any], Any]
_PLAIN_AGAIN = 200


@tf.function
def doubled(x: Any) -> Any:
    return x * 2


PIPELINES: dict[str, Pipeline] = {
    "mapped": lambda data: data.map(lambda x: x + 1),
    "function": lambda data: data.map(doubled).batch(3),
    # Each alone: what TensorFlow makes of the two in a row it names now so, now otherwise, in a plain program too.
    "branch": lambda data: data.map(lambda x: tf.cond(x > 2, lambda: x, lambda: -x)),
    "filtered": lambda data: data.filter(lambda x: x != 4),
    "inner": lambda data: data.interleave(lambda x: tf.data.Dataset.range(x).map(lambda y: y + x)),
    "shuffled": lambda data: data.map(lambda x: x * 3).shuffle(4, seed=1),
}


def read(pipeline: Pipeline, folder: Path) -> list[Any]:
    return [np.asarray(each) for each in pipeline(tf.data.Dataset.range(8)).snapshot(str(folder))]


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder).parts[0]) for path in folder.iterdir())


@pytest.mark.parametrize("name", PIPELINES)
def test_its_folder_is_that_of_the_plain_program(name: str, tmp_path: Path) -> None:
    plain = read(PIPELINES[name], tmp_path / "plain")
    with tensordbg.record(tmp_path / "trace"):
        recorded = read(PIPELINES[name], tmp_path / "recorded")
    np.testing.assert_equal(recorded, plain)
    assert any(names(tmp_path / "recorded") == found for found in plain_names(PIPELINES[name], tmp_path))


def plain_names(pipeline: Pipeline, folder: Path) -> Iterator[list[str]]:
    """The names of the plain program's snapshots: TensorFlow names two of sixty with a branch otherwise."""
    yield names(folder / "plain")
    for number in range(_PLAIN_AGAIN):
        read(pipeline, folder / f"plain {number}")
        yield names(folder / f"plain {number}")


def test_what_lies_there_is_not_computed_again(tmp_path: Path) -> None:
    plain = read(PIPELINES["mapped"], tmp_path / "kept")
    # What the pipeline would compute is recorded where it does.
    recorded = record(tmp_path / "trace", lambda: read(PIPELINES["mapped"], tmp_path / "kept"))
    assert not recorded.of("add")
    recorded = record(tmp_path / "first", lambda: read(PIPELINES["mapped"], tmp_path / "other"))
    assert len(recorded.of("add")) == len(plain)


def test_a_function_that_is_traced_makes_snapshots_as_ever(tmp_path: Path) -> None:
    @tf.function
    def total() -> Any:
        data = tf.data.Dataset.range(4).map(lambda x: x + 1).snapshot(str(tmp_path / "kept"))
        return data.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    with tensordbg.record(tmp_path / "trace"):
        assert int(total()) == 10
