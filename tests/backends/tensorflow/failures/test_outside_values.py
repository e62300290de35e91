from __future__ import annotations

from collections.abc import Iterator

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.failures.outside_values import note_outside_values, outside_values


@pytest.fixture(autouse=True)
def _with_all_frames() -> Iterator[None]:
    tf.debugging.disable_traceback_filtering()
    yield
    tf.debugging.enable_traceback_filtering()


def raised_by(function: object, *given: object) -> Exception:
    with pytest.raises(Exception, match="the end") as caught:
        function(*given)  # type: ignore[operator]
    return caught.value


def test_arguments_lead_to_what_the_call_was_given_and_captures_do_not() -> None:
    outside, weights = tf.ones([3]), tf.ones([3])
    inside = []

    @tf.function
    def step(count: int, pair: dict[str, tf.Tensor]) -> tf.Tensor:
        inside.extend([pair["b"], pair["a"] * outside])
        raise ValueError("the end")

    found = outside_values(raised_by(step, 2, {"a": weights, "b": tf.zeros([2])}))
    assert len(found) == 2
    assert found[id(inside[0].graph), inside[0].name].shape == (2,)
    assert any(each is weights for each in found.values())


def test_the_state_of_a_loop_leads_to_what_it_begins_with() -> None:
    inside = []

    def body(i: tf.Tensor, state: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        inside.append(state)
        raise ValueError("the end")

    @tf.function
    def loop(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda i, _: i < 3, body, [0, x * 2.0])

    found = outside_values(raised_by(loop, tf.ones([2])))
    assert found[id(inside[0].graph), inside[0].name].op.type == "Mul"


def test_what_was_noted_is_known_without_the_frames() -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        raise ValueError("the end")

    error = raised_by(step, tf.ones([2]))
    note_outside_values(error, error.__traceback__)
    error.__cause__ = error.__context__ = None
    assert len(outside_values(error.with_traceback(None))) == 1


def test_nothing_is_known_of_an_error_outside_of_functions() -> None:
    assert outside_values(ValueError("the end")) == {}
