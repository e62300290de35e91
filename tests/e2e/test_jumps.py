"""Where the numbers grew that were too large in the end, and divisors that nothing had written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json


def first_origin(folder: Path, program: Callable[[], object]) -> dict[str, Any]:
    with tensordbg.record(folder) as recording:
        program()
    origin: dict[str, Any] = why_to_json(tensordbg.open(recording.path).why())["origins"][0]
    return origin


def training(activation: Callable[[tf.Tensor], tf.Tensor], rate: float) -> Callable[[], None]:
    def program() -> None:
        weight = tf.Variable([[0.06]], name="weight")

        def step(x: tf.Tensor) -> tf.Tensor:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(activation(x @ weight))
            weight.assign_sub(rate * tape.gradient(loss, weight))  # UPDATE
            return loss

        run = tf.function(step) if tf.executing_eagerly() else step
        for _ in range(4):
            run(tf.constant([[3.0], [4.0]]))

    return program


UPDATE = next(k for k, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.endswith("# UPDATE"))


@pytest.mark.parametrize("program", ["squares", "squares_eagerly"])
def test_one_update_was_too_large_for_a_square(tmp_path: Path, program: str) -> None:
    origin = first_origin(tmp_path, PROGRAMS[program])
    assert (origin["cause"], origin["op_type"]) == ("arithmetic_overflow", "Square")
    assert "The variable weight had grown from 0.06 to 1.5e18 in one update, in step 0" in origin["explanation"]
    assert f"line {UPDATE} of test_jumps.py" in origin["explanation"]
    assert "learning rate" in origin["suggestion"]


def test_one_update_was_too_large_for_an_exponential(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, PROGRAMS["exponentials"])
    assert origin["cause"] == "exp_overflow"
    assert "The variable weight had grown from 0.06 to" in origin["explanation"]
    assert f"line {UPDATE} of test_jumps.py" in origin["explanation"]
    assert "learning rate" in origin["suggestion"]


def optimizer_of_keras() -> None:
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, use_bias=False)])
    model.compile(keras.optimizers.SGD(1e15), "mse")
    model.fit(np.ones((8, 2), np.float32), np.zeros((8, 1), np.float32), batch_size=4, epochs=2, verbose=0)


def test_an_optimizer_of_keras(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, optimizer_of_keras)
    assert origin["cause"] == "arithmetic_overflow"
    assert "kernel had grown from" in origin["explanation"]
    assert "lower the learning rate" in origin["suggestion"]
    assert "holds numbers" not in origin["explanation"]


def data_far_from_1(scale_of_data: float, scale_of_labels: float) -> Callable[[], None]:
    def program() -> None:
        keras.utils.set_random_seed(1)
        x = np.random.default_rng(0).uniform(size=(256, 8)).astype(np.float32)
        y = x.sum(1, keepdims=True)
        layers = [keras.layers.Dense(16, "relu"), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)]
        model = keras.Sequential([keras.Input((8,)), *layers])
        model.compile(keras.optimizers.SGD(0.05), "mse")
        model.fit(x * scale_of_data, y * scale_of_labels, batch_size=64, epochs=4, verbose=0)

    return program


UNSCALED = {"data": data_far_from_1(4000.0, 1.0), "labels": data_far_from_1(1.0, 1e6)}


@pytest.mark.parametrize("name", UNSCALED)
def test_data_far_from_1_is_to_be_scaled(tmp_path: Path, name: str) -> None:
    """What products of large numbers give is no jump: the fix is not to bound what a matrix product gives."""
    origin = first_origin(tmp_path, UNSCALED[name])
    assert origin["cause"] in ("arithmetic_overflow", "diverging_values")
    slot = list(UNSCALED).index(name)
    assert f"IteratorGetNext:{slot} holds numbers up to " in origin["explanation"]
    assert "scale the data to about 1" in origin["suggestion"]


def operation_that_enlarges() -> None:
    @tf.function
    def model(x: tf.Tensor) -> tf.Tensor:
        scaled = x / tf.reduce_min(x)
        return tf.reduce_sum(tf.square(tf.nn.relu(scaled) + 1.0))

    model(tf.constant([1e-22, 5.0]))


def test_an_operation_that_enlarges(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, operation_that_enlarges)
    assert origin["cause"] == "arithmetic_overflow"
    assert "They grew most in truediv:0, from 5 to 5e22 at once, in step 0 (line" in origin["explanation"]
    assert "scaled = x / tf.reduce_min(x)" in origin["explanation"]


def data_too_large() -> None:
    tf.function(lambda x: tf.square(x + 1.0))(tf.constant([1.0, 3e20]))


def test_data_that_came_in_too_large(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, data_too_large)
    assert "came in from outside with numbers up to 3e20" in origin["explanation"]
    assert "; row 1 is the first whose result is beyond the limit." in origin["explanation"]
    assert "Scale the data" in origin["suggestion"]


def test_a_variable_that_was_set_to_numbers_too_large(tmp_path: Path) -> None:
    """As in the replay of a step that diverged: the fix is not to scale the data."""

    def program() -> None:
        weight = tf.Variable([1.0, 2.0], name="weight")
        weight.assign(np.array([1.0, 2.8e22], np.float32))
        tf.function(lambda x: x * weight**2)(tf.constant([1.0, 3.0]))

    origin = first_origin(tmp_path, program)
    assert "The variable weight had been set to numbers up to 2.8e22" in origin["explanation"]
    assert "lower its learning rate" in origin["suggestion"]


def nothing_grew() -> None:
    tf.function(lambda x: tf.exp(x * 2.0))(tf.constant([1.0, 60.0]))


def test_nothing_is_said_where_nothing_grew(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, nothing_grew)
    assert origin["cause"] == "exp_overflow"
    assert origin["explanation"].endswith("can hold.")


def divided_by_large_numbers() -> None:
    @tf.function
    def model(x: tf.Tensor, count: tf.Tensor) -> tf.Tensor:
        grown = x / (count * 1000.0)
        for _ in range(3):
            grown = tf.reduce_sum(tf.stack([grown] * 8), 0)
        return tf.exp(grown)

    model(tf.constant([900.0, 450.0]), tf.constant([1.0, 2.0]))


def test_what_is_divided_by_makes_nothing_large(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, divided_by_large_numbers)
    assert origin["cause"] == "exp_overflow"
    assert origin["explanation"].endswith("can hold.")


def count_in_a_function() -> None:
    total, count = tf.Variable(3.0, name="total"), tf.Variable(0.0, name="count")
    tf.function(lambda: total / count)()


def count_eagerly() -> None:
    count = tf.Variable(0.0, name="count")
    tf.constant(3.0) / count


def root_of_a_variance() -> None:
    count = tf.Variable([0.0, 0.0], name="count")
    tf.function(lambda x: x / tf.sqrt(count))(tf.constant([1.0, 2.0]))


def count_of_a_session() -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        count = v1.get_variable("count", [], tf.float32, v1.zeros_initializer(), use_resource=True)
        mean = 3.0 / count
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(mean)


def count_that_was_written() -> None:
    count = tf.Variable(1.0, name="count")
    count.assign_sub(1.0)
    tf.function(lambda: 3.0 / count)()


def eagerly(program: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        tf.config.run_functions_eagerly(True)
        try:
            program()
        finally:
            tf.config.run_functions_eagerly(False)

    return run


SQUARES = training(tf.square, 1e18)
UNWRITTEN = [count_in_a_function, count_eagerly, root_of_a_variance, count_of_a_session]
PROGRAMS = {
    "squares": SQUARES,
    "squares_eagerly": eagerly(SQUARES),
    "exponentials": training(tf.exp, -200.0),
    **{f"{name}_far_from_1": program for name, program in UNSCALED.items()},
    **{
        program.__name__: program
        for program in (
            optimizer_of_keras,
            operation_that_enlarges,
            data_too_large,
            nothing_grew,
            count_that_was_written,
            *UNWRITTEN,
        )
    },
}


@pytest.mark.parametrize("program", UNWRITTEN)
def test_a_divisor_that_nothing_had_written(tmp_path: Path, program: Callable[[], None]) -> None:
    origin = first_origin(tmp_path, program)
    assert origin["cause"] == "division_by_zero"
    assert "It comes from the variable count, which still held its first value" in origin["explanation"]
    assert origin["suggestion"].startswith("Write count before")


def test_a_divisor_that_was_written(tmp_path: Path) -> None:
    assert "first value" not in first_origin(tmp_path, count_that_was_written)["explanation"]


def temperature_that_is_learned() -> None:
    weight, temperature = tf.Variable(tf.eye(4)), tf.Variable(0.1, name="temperature")

    @tf.function
    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            z = tf.math.l2_normalize(weight + 0.1, 1)
            logits = tf.matmul(z, z, transpose_b=True) / temperature  # DIVIDES
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(4), logits)) + temperature**2
        slope = tape.gradient(loss, temperature)
        temperature.assign_sub(0.35 * slope)
        return loss

    for _ in range(40):
        step()


def test_a_divisor_that_shrank_is_told_and_not_the_learning_rate(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, temperature_that_is_learned)
    assert origin["cause"] == "shrinking_divisor"
    assert "The divisor temperature shrank step by step: " in origin["explanation"]
    line = next(k for k, line in enumerate(Path(__file__).read_text().splitlines(), 1) if line.endswith("# DIVIDES"))
    assert f"(line {line} of test_jumps.py" in origin["explanation"]
    assert "learn its logarithm" in origin["suggestion"]


def argument_that_grows() -> None:
    weight = tf.Variable([[1.0], [2.0]])

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.sin(tf.square(x) @ weight))
        weight.assign_sub(1e-38 * tape.gradient(loss, weight))
        return loss

    for k in range(21):
        step(tf.ones([3, 2]) * 10.0**k)


def test_what_the_program_passes_in_grows_and_not_the_model(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, argument_that_grows)
    assert origin["cause"] == "diverging_values"
    assert "what comes in grows, not the model" in origin["explanation"]
    assert "earning rate" not in origin["suggestion"]


def test_a_learning_rate_that_a_callback_raised_is_told(tmp_path: Path) -> None:
    def program() -> None:
        keras.utils.set_random_seed(1)
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, use_bias=False)])
        model.compile(keras.optimizers.SGD(1e-3), "mse")
        raising = keras.callbacks.LearningRateScheduler(lambda epoch, rate: 20.0 if epoch == 4 else rate)
        model.fit(
            np.ones((8, 2), np.float32), np.zeros((8, 1)), batch_size=8, epochs=20, verbose=0, callbacks=[raising]
        )

    origin = first_origin(tmp_path, program)
    assert origin["cause"] == "diverging_values"
    assert "The learning rate went from 0.001 to 20 in step 4, and then" in origin["explanation"]
    assert "look at the schedule or the callback" in origin["suggestion"]


def recurrence_of_keras() -> None:
    keras.utils.set_random_seed(1)
    layers = [keras.Input((30, 8)), keras.layers.SimpleRNN(16, activation="relu"), keras.layers.Dense(1)]
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.SGD(1.0), "mse")
    x = np.random.default_rng(1).normal(size=(128, 30, 8)).astype(np.float32)
    model.fit(x, x.mean((1, 2)) * 10, epochs=4, verbose=0)


def recurrence_whose_weights_an_update_enlarged() -> None:
    start = tf.random.Generator.from_seed(1)
    within, after = tf.Variable(start.normal([16, 16]) * 0.25), tf.Variable(start.normal([16, 1]))

    @tf.function
    def step(x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            state = x
            for _ in tf.range(40):
                state = tf.nn.relu(state @ within)
            loss = tf.reduce_mean(tf.abs(state @ after - 1.0))
        gradients = tape.gradient(loss, [within, after])
        for variable, gradient in zip([within, after], gradients, strict=True):
            variable.assign_sub(10.0 * tf.sign(gradient))

    for _ in range(3):
        step(start.normal([16, 16]))


def test_an_update_made_a_loop_enlarge_its_state(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, recurrence_whose_weights_an_update_enlarged)
    assert "iteration by iteration" in origin["explanation"]
    assert "in one update, in step 0" in origin["explanation"]
    assert origin["suggestion"].startswith("One update was too large: lower the learning rate")


def test_a_gradient_that_comes_out_of_a_loop_is_no_data(tmp_path: Path) -> None:
    origin = first_origin(tmp_path, recurrence_of_keras)
    assert origin["cause"] == "diverging_values"
    assert "holds numbers up to" not in origin["explanation"]
    assert "scale the data" not in origin["suggestion"]


def a_row_that_is_far_too_large() -> None:
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(keras.optimizers.Adam(1e-2), "mse")
    x = np.random.default_rng(0).normal(size=(64, 2)).astype(np.float32)
    x[40] = 3e12
    model.fit(x, 0 * x[:, :1], batch_size=8, epochs=2, shuffle=False, verbose=0)


def an_overflow_beside_a_training_that_diverges() -> None:
    weight = tf.Variable([[1.0]], name="weight")

    @tf.function
    def step(x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ weight))
        weight.assign_sub(0.5 * tape.gradient(loss, weight))

    for _ in range(16):
        step(tf.constant([[3.0]]))
    print(float(tf.exp(tf.constant(100.0))))


def told(folder: Path, program: Callable[[], None]) -> tuple[list[str], list[str]]:
    """The causes of what was not finite, and the kinds of warnings."""
    with tensordbg.record(folder) as recording:
        program()
    answer = tensordbg.open(recording.path).why()
    return [each.cause for each in answer.origins], [each.kind for each in answer.warnings]


def test_a_row_of_a_pipeline_that_is_far_too_large_is_told_once(tmp_path: Path) -> None:
    origin = first_origin(tmp_path / "first", a_row_that_is_far_too_large)
    assert "IteratorGetNext:0 came in from outside with numbers up to 3e12" in origin["explanation"]
    assert origin["suggestion"] == "Scale the data to about 1 before it goes in."
    assert told(tmp_path / "again", a_row_that_is_far_too_large) == (["arithmetic_overflow"], [])


def test_a_growth_that_an_overflow_has_nothing_to_do_with_is_told_too(tmp_path: Path) -> None:
    causes, kinds = told(tmp_path, an_overflow_beside_a_training_that_diverges)
    assert causes == ["exp_overflow"]
    assert kinds[:1] == ["growing_values"]
