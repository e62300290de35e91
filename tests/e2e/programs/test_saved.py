"""Saved models, loaded and called: their functions have no Python stack of their own, but the call to them has."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from tests.e2e.programs.checking import check, recorded_and_why


class Saved(tf.Module):
    """Computes logarithms, with a variable, in a loop."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable([1.0, 2.0], name="weight")

    @tf.function(input_signature=[tf.TensorSpec([2], tf.float32)])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = tf.math.log(x * self.weight)
        return x


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("saved"))
    tf.saved_model.save(Saved(), path)
    return path


def test_a_loaded_model_is_recorded(tmp_path: Path, folder: str) -> None:
    def program() -> object:
        model = tf.saved_model.load(folder)
        return model(tf.constant([1.0, 1.0])), model(tf.constant([0.0, 4.0]))

    plain = [value.numpy().tolist() for value in program()]  # type: ignore[attr-defined]
    results: list[object] = []
    checked = recorded_and_why(lambda: results.append([value.numpy().tolist() for value in program()]), tmp_path)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(results[0], plain)
    logs = checked.named("Log")
    assert {event.iteration for event in logs} == {0, 1}
    origin = checked.answer["origins"][0]
    assert (origin["op_type"], origin["cause"]) == ("Log", "log_of_zero")
    assert any(variable.name == "weight" for variable in checked.recorded.variables.values())


def test_the_line_is_that_which_calls_the_loaded_model(tmp_path: Path, folder: str) -> None:
    def program() -> object:
        model = tf.saved_model.load(folder)
        x = tf.constant([0.5, 1.0])
        return model(x)  # HERE

    check(program, tmp_path)


def test_a_signature_of_a_loaded_model_is_recorded(tmp_path: Path, folder: str) -> None:
    def program() -> object:
        model = tf.saved_model.load(folder)
        return model.signatures["serving_default"](x=tf.constant([0.5, 1.0]))  # HERE

    check(program, tmp_path)
