"""What a function only chooses from is found where it is chosen, and by the operation that made it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.check.chosen import chosen_nodes
from tensordbg.backends.tensorflow.functions import waiting
from tests.backends.tensorflow.checked import checking, raised

HOLED = [0.5, 0.0, 0.25]


@pytest.fixture(autouse=True, params=["checked first", "checked beside"])
def _checked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(waiting, "FEW_PROCESSORS", 10**6 if request.param == "checked first" else 0)
    with checking():
        yield


def safe_log(p: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.where(keep, tf.math.log(p), 0.0))


def entropy(p: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
    return -tf.reduce_sum(tf.where(keep, p * tf.math.log(p), 0.0))


def weighted(p: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
    return tf.math.multiply_no_nan(tf.math.log(p), tf.cast(keep, tf.float32))


def taken_out(p: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.boolean_mask(tf.math.log(p) * 2.0, keep))


def in_a_loop(p: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
    total = tf.zeros_like(p)
    for _ in tf.range(3):
        total += tf.where(keep, tf.math.log(p) * 3.0, 0.0)
    return total


@pytest.mark.parametrize("program", [safe_log, entropy, weighted, taken_out, in_a_loop])
def test_what_is_not_chosen_is_no_finding(program: Callable[..., object]) -> None:
    run = tf.function(program)
    p = tf.constant(HOLED)
    assert raised(run, p, p > 0.0) is None
    found = raised(run, p, p >= 0.0)  # also in a later run
    assert found is not None
    assert found.op_type == "Log"
    assert "Input tensor" in found.message
    assert raised(run, p, p > 0.0) is None


def test_what_is_bad_may_be_asked_for() -> None:
    @tf.function
    def finite_or_zero(p: tf.Tensor) -> tf.Tensor:
        shares = 1.0 / p
        return tf.where(tf.math.is_finite(shares), shares, tf.zeros_like(shares))

    assert raised(finite_or_zero, tf.constant(HOLED)) is None


def test_what_something_else_takes_is_found() -> None:
    def both(p: tf.Tensor, keep: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        logs = tf.math.log(p)
        return tf.where(keep, logs, 0.0), tf.reduce_min(logs)

    def counted(p: tf.Tensor, keep: tf.Tensor) -> tf.Tensor:
        return tf.where(keep, tf.cast(tf.math.log(p), tf.int32), 0)

    for program in (both, counted):
        found = raised(tf.function(program), tf.constant(HOLED), tf.constant(HOLED) > 0.0)
        assert found is not None
        assert found.op_type == "Log"


def test_the_gradient_of_what_is_not_chosen_is_found() -> None:
    @tf.function
    def slope(p: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(p)
            loss = safe_log(p, p > 0.0)
        return tape.gradient(loss, p)

    found = raised(slope, tf.constant(HOLED))
    assert found is not None
    assert "gradient of Log" in found.message


def test_the_choices_behind_an_operation() -> None:
    p = tf.TensorSpec([3])
    keep = tf.TensorSpec([3], tf.bool)
    function = tf.function(entropy).get_concrete_function(p, keep).function_def
    assert chosen_nodes(function, set()) == {"Log": "SelectV2", "mul": "SelectV2"}
    assert not chosen_nodes(function, {"mul"}).keys() & {"Log"}
