"""A bad row of a table that is looked up only later: the row is named, and no update is blamed."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.finding import Origin

LOOKED_UP = [[1, 2], [3, 17], [5, 6]]


def origins_of(value: float, folder: Path) -> tuple[Origin, ...]:
    """Trains a table of which one element has a value, rows of it at a time."""
    rows = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    rows[17, 2] = value
    with tensordbg.record(folder) as recording:
        table = tf.Variable(rows, name="table")

        @tf.function
        def step(places: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, places)))
            gradient = tape.gradient(loss, table)
            table.scatter_sub(tf.IndexedSlices(0.01 * gradient.values, gradient.indices))
            return loss

        for places in LOOKED_UP:
            step(tf.constant(places))
    return tensordbg.open(recording.path).why().origins


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_row_that_is_not_finite(value: float, tmp_path: Path) -> None:
    (origin,) = origins_of(value, tmp_path)
    assert origin.cause == "bad_variable"
    assert "; the first is in row 17, at [17, 2]." in origin.explanation


def test_a_row_that_is_huge(tmp_path: Path) -> None:
    (origin,) = origins_of(1e30, tmp_path)
    assert (origin.cause, origin.view.step) == ("arithmetic_overflow", 1)
    assert "in one update" not in origin.explanation
    assert "numbers up to 1e30" in origin.explanation


def test_a_row_that_python_made_huge(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        layers = [keras.layers.Embedding(50, 4), keras.layers.Flatten(), keras.layers.Dense(1)]
        model = keras.Sequential(layers)
        model(np.array(LOOKED_UP))
        (rows,) = layers[0].get_weights()
        rows[17, 2] = 1e30
        layers[0].set_weights([rows])  # SET
        model.compile("sgd", "mse")
        model.fit(np.array(LOOKED_UP), np.ones(3), batch_size=1, verbose=0, shuffle=False)
    (origin,) = tensordbg.open(recording.path).why().origins
    assert "embeddings had been set to numbers up to 1e30 (line" in origin.explanation
    assert "layers[0].set_weights([rows])" in origin.explanation
    assert origin.verdict.suggestion.endswith("set it to smaller numbers.")


def origin_of_table(kind: str, folder: Path) -> Origin:
    rows = np.ones((50, 4), np.float32)
    rows[17, 2] = np.nan
    with tensordbg.record(folder) as recording:
        table = rows if kind == "array" else tf.constant(rows)
        step = tf.function(lambda places: tf.reduce_sum(tf.gather(table, places)))
        if kind == "hashed":
            pairs = tf.lookup.KeyValueTensorInitializer(list(range(50)), rows[:, 2])
            step = tf.function(tf.lookup.StaticHashTable(pairs, 0.0).lookup)
        if kind == "batch":
            step = tf.function(lambda _: tf.reduce_sum(table * 2.0))
        for places in LOOKED_UP:
            step(tf.constant(places))
    return tensordbg.open(recording.path).why().origins[0]


@pytest.mark.parametrize(
    ("kind", "cause", "said"),
    [
        ("tensor", "bad_input_data", "; the first is in row 17 of the table, at [17, 2]."),
        ("array", "non_finite_constant", "; the first is in row 17, at [17, 2]."),
        ("hashed", "bad_input_data", "; the first is in row 17 of the table, at [17]."),
        ("batch", "bad_input_data", "; the first is in row 17 of the batch, at [17, 2]."),
    ],
)
def test_the_row_of_a_constant_table(kind: str, cause: str, said: str, tmp_path: Path) -> None:
    origin = origin_of_table(kind, tmp_path)
    assert (origin.cause, origin.explanation[-len(said) :]) == (cause, said)
    assert ("Drop such rows" in origin.verdict.suggestion) == (kind == "batch")


def test_a_sound_table(tmp_path: Path) -> None:
    assert origins_of(1.0, tmp_path) == ()
