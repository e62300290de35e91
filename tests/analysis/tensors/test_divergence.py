from __future__ import annotations

import pytest
import tensorflow as tf

from tensordbg.analysis.tensors.divergence import Divergence, find_divergence
from tests.backends.tensorflow.recorded import record


def traced(dtype: str, scale: float = 1.0):  # noqa: ANN201  a tf.function has no plain type
    @tf.function
    def inner(x):  # noqa: ANN001, ANN202
        return tf.exp(x, name="power")

    @tf.function
    def step():  # noqa: ANN202
        x = tf.cast(tf.linspace(0.0, 1.0, 7), dtype)
        y = tf.multiply(x, scale, name="scaled")
        for _ in tf.range(2):
            y = tf.identity(inner(y)) + tf.sin(x, name="wave")
        return tf.sqrt(y, name="root")

    return step


@pytest.fixture(scope="module")
def divergences(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Divergence]:
    folder = tmp_path_factory.mktemp("traces")
    programs = {"plain": traced("float32"), "wide": traced("float64"), "scaled": traced("float32", 5.0)}
    traces = {name: record(folder / name, step).reader for name, step in programs.items()}
    return {name: find_divergence(traces["plain"], traces[name]) for name in ("wide", "scaled")}


def test_rounding_is_no_difference(divergences: dict[str, Divergence]) -> None:
    assert divergences["wide"].compared > 10
    assert (divergences["wide"].apart, divergences["wide"].first) == (0, ())


def test_what_differs_first_is_named_through_loops_and_calls(divergences: dict[str, Divergence]) -> None:
    divergence = divergences["scaled"]
    assert [pair.before.tensor for pair in divergence.first] == ["scaled/y:0"]
    (pair,) = divergence.first
    assert pair.before.health is not None and pair.after.health is not None
    assert (pair.before.health.max, pair.after.health.max) == (1.0, 5.0)
    assert divergence.apart >= 6
