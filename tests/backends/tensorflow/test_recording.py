"""The backend as a whole: Keras programs, and the same numbers with and without recording."""

from __future__ import annotations

import re
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.recording import TensorFlowRecording
from tests import programs
from tests.backends.tensorflow.recorded import record


def classifier() -> keras.Model:
    keras.utils.set_random_seed(7)
    model = keras.Sequential(
        [
            keras.Input((12,)),
            keras.layers.Dense(16, activation="relu"),
            keras.layers.BatchNormalization(),
            keras.layers.Dropout(0.25),
            keras.layers.Dense(3, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def data() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    return generator.normal(size=(96, 12)).astype(np.float32), generator.integers(0, 3, 96)


def trained() -> tuple[list[float], list[float], np.ndarray]:
    model, (x, y) = classifier(), data()
    history = model.fit(x, y, batch_size=32, epochs=3, verbose=0)
    return history.history["loss"], model.evaluate(x, y, verbose=0), model.predict(x, verbose=0)


def test_keras_computes_the_same(tmp_path: Path) -> None:
    plain = trained()
    result = []
    recorded = record(tmp_path, lambda: result.append(trained()))
    for value, expected in zip(result[0], plain, strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-6)
    assert len(recorded.events) > 1000


def test_fit_evaluate_and_predict_are_recorded(tmp_path: Path) -> None:
    model, (x, y) = classifier(), data()

    def program() -> None:
        model.fit(x, y, batch_size=32, epochs=2, verbose=0)
        model.evaluate(x, y, batch_size=32, verbose=0)
        model.predict(x, batch_size=32, verbose=0)

    recorded = record(tmp_path, program)
    calls: dict[str, list[int]] = {}
    for row in recorded.executions:
        if row["function"] >= 0:
            calls.setdefault(recorded.functions[row["function"]].name, []).append(row["step"])
    # Three batches an epoch, two epochs, then three to evaluate: fit and evaluate run functions of one name and place.
    assert calls["multi_step_on_iterator"] == [*range(6), *range(3)]
    assert calls["one_step_on_data_distributed"] == [0, 1, 2]
    names = {variable.name for variable in recorded.variables.values()}
    assert any(re.search(r"dense(_\d+)?/kernel$", name) for name in names)
    softmax = [event for event in recorded.events if event.name.endswith("Softmax")]
    assert {event.shape for event in softmax} == {"[32, 3]"}
    assert recorded.user_frames(softmax[0])[-1].file == __file__


def test_keras_frames_are_not_the_users(tmp_path: Path) -> None:
    model, (x, y) = classifier(), data()
    recorded = record(tmp_path, lambda: model.fit(x, y, verbose=0))
    files = {frame.file for frames in recorded.reader.stacks().values() for frame in frames if frame.user}
    assert files
    assert not any("site-packages" in file for file in files)


def test_a_loss_that_goes_wrong_inside_of_keras_is_seen(tmp_path: Path) -> None:
    def loss(labels: tf.Tensor, probs: tf.Tensor) -> tf.Tensor:
        return -tf.reduce_sum(labels * tf.math.log(probs), axis=-1)

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, "softmax", kernel_initializer="identity")])
    model.compile("sgd", loss)
    x, y = np.array([[1.0, 2.0], [400.0, -400.0]], np.float32), np.eye(2, dtype=np.float32)
    recorded = record(tmp_path, lambda: model.fit(x, y, verbose=0, shuffle=False))
    log = next(event for event in recorded.events if event.name.endswith("/Log"))
    assert (log.row["neg_inf"], log.row["first_bad"]) == (1, 3)
    assert recorded.user_frames(log)[-1].function == "loss"


def test_random_numbers_are_the_same(tmp_path: Path) -> None:
    weight = tf.Variable([1.0, 2.0])

    def program() -> list[np.ndarray]:
        tf.random.set_seed(5)
        eager = [tf.random.normal([3]), tf.sin(weight), tf.random.uniform([2])]

        @tf.function
        def drawn(x: tf.Tensor) -> tf.Tensor:
            noise = tf.random.normal([4]) + tf.reduce_sum(x)
            for _ in tf.range(2):
                noise = tf.nn.dropout(noise, 0.5)
            return noise

        return [value.numpy() for value in (*eager, drawn(weight), drawn(weight), tf.random.normal([2]))]

    plain, recorded = program(), []
    record(tmp_path, lambda: recorded.extend(program()))
    for value, expected in zip(recorded, plain, strict=True):
        np.testing.assert_array_equal(value, expected)


def test_versions_name_tensorflow_and_keras() -> None:
    assert TensorFlowRecording().versions() == {"tensorflow": tf.__version__, "keras": keras.__version__}


def test_the_library_of_the_probe_must_be_tensorflows() -> None:
    # Once registered it is not looked at again: a fresh process sees the error.
    import sys

    from tensordbg import _native

    program = "from tensordbg import _native; _native.register_tensorflow_probe('/no/such/library.so')"
    done = programs.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "RuntimeError: /no/such/library.so" in done.stderr
    assert _native is not None


@pytest.mark.parametrize("parallel", [1, 4])
def test_functions_of_an_input_pipeline_belong_to_no_execution(tmp_path: Path, parallel: int) -> None:
    def program() -> list[float]:
        dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0])
        return [float(x) for x in dataset.map(tf.math.log, num_parallel_calls=parallel)]

    recorded = record(tmp_path, program)
    logs = recorded.of("Log")
    assert sorted(event.row["neg_inf"] for event in logs) == [0, 0, 1]
    assert {event.execution for event in logs} == {-1}
