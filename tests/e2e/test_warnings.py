"""Small real programs whose numbers stay finite and are wrong all the same: `why` must name the tensor and the line.

Each marks the guilty line with `# HERE`.
"""

from __future__ import annotations

import inspect
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.warnings.table import TABLE
from tensordbg.wire.why import why_to_json
from tests import programs
from tests.e2e.troubled import shapes
from tests.e2e.troubled.registry import LIMIT, PROGRAMS, Layer, Program, normal, train, trouble

for module in ("layers", "losses", "loops", "shapes", "wrapping"):
    import_module(f"tests.e2e.troubled.{module}")


def why_of(program: Program, folder: Path, **options: Any) -> dict[str, Any]:
    """Records a program and asks why."""
    keras.utils.set_random_seed(1)
    with tensordbg.record(folder, **options) as recording:
        program()
    return why_to_json(tensordbg.open(recording.path).why())


@trouble("growing_values", "weight")
def learning_rate_a_little_too_high() -> None:
    weight = tf.Variable([[1.0]], name="weight")
    x, y = tf.constant([[3.0], [4.0]]), tf.constant([[1.0], [2.0]])

    def loss(_: int) -> tf.Tensor:
        error = x @ weight - y  # HERE
        return tf.reduce_mean(tf.square(error))

    train(loss, [weight], steps=20, rate=0.15)


@trouble("growing_values", "state")
def a_state_that_is_multiplied_in_each_step() -> None:
    state = tf.Variable(np.ones(4, np.float32), name="state")

    @tf.function
    def advance() -> tf.Tensor:
        enlarged = state * 3.0  # HERE
        state.assign(enlarged)
        return enlarged

    for _ in range(12):
        advance()


@trouble("growing_values", "weight")
def an_eager_loop_that_diverges() -> None:
    weight = tf.Variable([2.0, 3.0], name="weight")
    for _ in range(12):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(weight))  # HERE
        weight.assign_sub(3.0 * tape.gradient(loss, weight))


@trouble("growing_values", "truediv")
def a_divisor_that_shrinks() -> None:
    divisor = tf.Variable(1.0, trainable=False, name="divisor")

    @tf.function
    def step() -> tf.Tensor:
        divisor.assign(divisor * 0.2)
        return tf.reduce_sum(tf.ones([3]) / divisor)  # HERE

    for _ in range(15):
        step()


@trouble("growing_values", "Input")
def a_factor_that_the_program_passes_in() -> None:
    @tf.function
    def scaled(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(x * 2.0)

    for k in range(12):
        scaled(tf.ones([4, 3]) * 10.0**k)  # HERE


@trouble("shrinking_values", "weight")
def weight_decay_far_too_strong() -> None:
    weight = tf.Variable(normal(8, 4), name="weight")
    x, y = normal(16, 8, seed=1), normal(16, 4, seed=2)

    def loss(_: int) -> tf.Tensor:
        guess = tf.matmul(x, weight)  # HERE
        return tf.reduce_mean(tf.square(guess - y)) * 1e-3 + 5.0 * tf.reduce_sum(tf.square(weight))

    train(loss, [weight], steps=40, rate=0.03)


@trouble("shrinking_values", "mul")
def a_gate_that_closes() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4) + 5.0

    def loss(step: tf.Tensor) -> tf.Tensor:
        gate = tf.pow(0.6, tf.cast(step, tf.float32))
        hidden = tf.tanh(first(x)) * gate  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias], steps=40, rate=1e-3)


@trouble("zero_gradient", "first/kernel")
def a_mask_that_is_all_zero() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)
    mask = tf.zeros([16])

    def loss(_: int) -> tf.Tensor:
        hidden = tf.tanh(first(x)) * mask  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("zero_gradient", "first/kernel")
def a_layer_that_is_alive_before_a_mask_of_zeros() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        hidden = tf.nn.relu(first(x))
        return tf.reduce_mean(tf.square(second(hidden) * tf.zeros([4]) - y))  # HERE

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("zero_gradient", "threshold")
def a_step_function_without_a_slope() -> None:
    threshold = tf.Variable(np.full(4, 0.3, np.float32), name="threshold")
    weight = tf.Variable(normal(4, 1), name="weight")
    x, y = normal(32, 4, seed=3), normal(32, 1, seed=4)

    def loss(_: int) -> tf.Tensor:
        rounded = tf.round(x - threshold)
        clipped = tf.clip_by_value(threshold, 1.0, 2.0)  # HERE
        return tf.reduce_mean(tf.square((rounded + clipped) @ weight - y))

    train(loss, [threshold, weight])


@trouble("dead_units", "Relu")
def a_layer_that_dies_at_once() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    first.bias.assign(tf.fill([16], -100.0))
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        hidden = tf.nn.relu(first(x))  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("dead_units", "Relu")
def some_units_that_die() -> None:
    first, second = Layer(8, 20, "first", 1), Layer(20, 4, "second", 2)
    first.bias.assign([-50.0] * 8 + [1.0] * 12)
    batches = np.random.default_rng(3).normal(size=(30, 64, 8)).astype(np.float32)
    x, y = tf.constant(batches), normal(64, 4, seed=4)

    def loss(step: tf.Tensor) -> tf.Tensor:
        hidden = tf.nn.relu(first(x[step]))  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("dead_units", "Relu")
def units_that_die_in_the_middle() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    batches = np.random.default_rng(3).normal(size=(50, 64, 8)).astype(np.float32)
    x, y = tf.constant(batches), normal(64, 4, seed=4)

    def loss(step: tf.Tensor) -> tf.Tensor:
        if_late = tf.where(step < 20, 0.0, tf.constant([-100.0] + [0.0] * 15))
        hidden = tf.nn.relu(first(x[step]) + if_late)  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias], steps=50)


@trouble("unchanged_variable", "first/kernel")
def a_variable_that_the_optimizer_was_not_given() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        hidden = tf.tanh(tf.matmul(x, first.kernel) + first.bias)  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.bias, second.kernel, second.bias])


@trouble("unchanged_variable", "first/kernel")
def a_gradient_that_is_stopped() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        hidden = tf.tanh(tf.matmul(x, first.kernel))  # HERE
        return tf.reduce_mean(tf.square(second(tf.stop_gradient(hidden)) - y))

    train(loss, [first.kernel, second.kernel, second.bias])


@trouble("unchanged_variable", "codes/kernel")
def a_layer_of_which_only_the_largest_is_asked() -> None:
    x, y = normal(64, 8, seed=3).numpy(), np.arange(64) % 4
    inputs = keras.Input((8,))
    codes = keras.layers.Dense(6, use_bias=False, name="codes")
    largest = keras.layers.Lambda(lambda values: tf.one_hot(tf.argmax(values, axis=1), 6))
    model = keras.Model(inputs, keras.layers.Dense(4)(largest(codes(inputs))))
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with pytest.warns(UserWarning, match="Gradients do not exist"):
        model.fit(x, y, batch_size=16, epochs=3, verbose=0)  # HERE


@trouble("unchanged_variable", "coarse")
def updates_that_half_precision_rounds_away() -> None:
    coarse = tf.Variable(tf.fill([4], tf.constant(100.0, tf.float16)), name="coarse")
    fine = tf.Variable(normal(4), name="fine")
    x = normal(16, 4, seed=1)

    def loss(_: int) -> tf.Tensor:
        scaled = tf.cast(coarse, tf.float32) * x  # HERE
        return tf.reduce_mean(tf.square(scaled * 1e-2 + fine - 3.0))

    @tf.function
    def train_step(step: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            value = loss(step)
        one, two = tape.gradient(value, [coarse, fine])
        coarse.assign_sub(tf.cast(0.01, tf.float16) * one)
        fine.assign_sub(0.01 * two)

    for step in range(20):
        train_step(tf.constant(step))


@trouble("saturated_activation", "Tanh")
def inputs_that_were_not_scaled() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3, scale=300.0), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        hidden = tf.tanh(first(x))  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("saturated_activation", "clip_by_value")
def nearly_everything_is_clipped() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(256, 8, seed=3, scale=150.0), normal(256, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        hidden = tf.clip_by_value(first(x), -1.0, 1.0)  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias], rate=1e-4)


@trouble("zero_gradient", "first/kernel")
def everything_is_clipped() -> None:
    first, second = Layer(8, 16, "first", 1), Layer(16, 4, "second", 2)
    x, y = normal(32, 8, seed=3, scale=1e6), normal(32, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        hidden = tf.clip_by_value(first(x), -1.0, 1.0)  # HERE
        return tf.reduce_mean(tf.square(second(hidden) - y))

    train(loss, [first.kernel, first.bias, second.kernel, second.bias])


@trouble("saturated_activation", "Softmax")
def attention_that_looks_at_one_place_only() -> None:
    query, value = Layer(8, 8, "query", 1), Layer(8, 4, "value", 2)
    x, y = normal(6, 10, 8, seed=3, scale=20.0), normal(6, 10, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        scores = tf.matmul(tf.tensordot(x, query.kernel, 1), x, transpose_b=True)
        weights = tf.nn.softmax(scores)  # HERE
        return tf.reduce_mean(tf.square(tf.matmul(weights, tf.tensordot(x, value.kernel, 1)) - y))

    train(loss, [query.kernel, value.kernel], rate=1e-6)


@trouble("half_precision", "MatMul")
def half_precision_close_to_its_end() -> None:
    weight = tf.Variable(normal(64, 4, scale=0.1) + 3.0, name="weight")
    x = tf.fill([8, 64], 220.0)

    @tf.function
    def infer() -> tf.Tensor:
        return tf.matmul(tf.cast(x, tf.float16), tf.cast(weight, tf.float16))  # HERE

    for _ in range(3):
        infer()


@trouble("half_precision", "Cast")
def numbers_too_small_for_half_precision() -> None:
    x = normal(64, 64, scale=1e-8)

    @tf.function
    def infer() -> tf.Tensor:
        small = tf.cast(x, tf.float16)  # HERE
        return tf.reduce_sum(tf.cast(small, tf.float32))

    for _ in range(3):
        infer()


@trouble("half_precision", "gradient_tape")
def gradients_too_small_for_half_precision() -> None:
    weight = tf.Variable(normal(16, 4, scale=0.1), name="weight")
    x, y = normal(64, 16, seed=3), normal(64, 4, seed=4)

    def loss(_: int) -> tf.Tensor:
        guess = tf.matmul(tf.cast(x, tf.float16), tf.cast(weight, tf.float16))
        return tf.reduce_mean(tf.square(tf.cast(guess, tf.float32) - y)) * 1e-4

    train(loss, [weight], rate=1.0)


CASES = [
    pytest.param(kind, program, named, id=program.__name__)
    for kind, several in PROGRAMS.items()
    for program, named in several
]


def marked_line(program: Program) -> int | None:
    """The line that a program marks as the guilty one."""
    lines = Path(inspect.getsourcefile(program) or "").read_text().splitlines()
    for number, line in enumerate(lines[program.__code__.co_firstlineno :], program.__code__.co_firstlineno + 1):
        if line.endswith("# HERE"):
            return number
        if line.startswith(("@trouble", "CASES")):
            return None
    return None


@pytest.mark.parametrize(("kind", "program", "named"), CASES)
def test_the_trouble_is_named(tmp_path: Path, kind: str, program: Program, named: str) -> None:
    answer = why_of(program, tmp_path)
    assert answer["status"] == "finite"
    warning = answer["warnings"][0]
    assert warning["kind"] == kind, answer["warnings"]
    assert named in (warning["variable"] or warning["tensor"])
    line = marked_line(program)
    if line is not None:
        assert (warning["source"]["file"], warning["source"]["line"]) == (inspect.getsourcefile(program), line)
    assert {each["kind"] for each in answer["warnings"]} == {kind}
    assert warning["explanation"].endswith(".")
    assert warning["suggestion"].endswith(".")
    assert warning["evidence"]


def test_dead_units_are_counted_from_the_step_on_in_which_they_died(tmp_path: Path) -> None:
    (warning,) = why_of(units_that_die_in_the_middle, tmp_path)["warnings"]
    assert warning["evidence"]["since_step"] == 20
    assert warning["evidence"]["share"] == 1 / 16


def test_kept_elements_tell_which_units_are_dead(tmp_path: Path) -> None:
    (warning,) = why_of(some_units_that_die, tmp_path, detail="values")["warnings"]
    assert "8 of the 20 units" in warning["explanation"]
    assert ": 0, 1, 2, 3, 4, 5, 6, 7" in warning["explanation"]


def test_a_softmax_of_one_that_the_training_passes_by(tmp_path: Path) -> None:
    (warning,) = why_of(shapes.a_softmax_of_one_in_keras, tmp_path / "beside")["warnings"]
    assert "the training does not go through it" in warning["explanation"]
    (warning,) = why_of(partial(shapes.a_softmax_of_one_in_keras, ()), tmp_path / "not_run")["warnings"]
    assert warning["kind"] == "softmax_of_one" and "the training does not go through it" in warning["explanation"]
    (warning,) = why_of(shapes.one_output_with_a_softmax, tmp_path / "through")["warnings"]
    assert warning["explanation"].endswith("and lets no gradient through.")


IN_ONE_STEP = {"growing_in_loop", "half_precision"}
"""What a single step tells."""

TRAINING = [
    case
    for case in CASES
    if {"train", "Session"}.intersection(case.values[1].__code__.co_names) == {"train"}
    and case.values[0] not in IN_ONE_STEP
]


@pytest.mark.parametrize(("kind", "program", "named"), TRAINING)
def test_three_steps_are_too_few(
    tmp_path: Path, kind: str, program: Program, named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LIMIT, "steps", 3)
    assert (kind, named, why_of(program, tmp_path)["warnings"]) == (kind, named, [])


OF_PYTORCH = {
    "accumulated_gradients",
    "clipped_while_scaled",
    "cut_part",
    "evaluation_mode",
    "no_log_probabilities",
    "training_mode",
    "without_gradient",
}
"""Kinds that TensorFlow knows no such trouble for, or shows none of; tests of PyTorch have their programs."""


def test_every_kind_has_a_program() -> None:
    assert set(PROGRAMS) | OF_PYTORCH == set(TABLE)
    own = Path(__file__)
    of_pytorch = (own.with_name(f"test_torch_{name}.py") for name in ("warnings", "scaled_clipping"))
    files = *of_pytorch, own.parents[1] / "analysis/warnings/gradients/test_cut_parts.py"
    text = "".join(each.read_text() for each in files)
    assert all(f'"{kind}"' in text for kind in OF_PYTORCH)


@pytest.mark.parametrize(
    "overflow",
    [
        lambda: tf.exp(1000.0),
        lambda: float(tf.exp(1000.0)) + 1.0,
        lambda: tf.reduce_sum(tf.math.log(tf.constant([0.0, 1.0]))),
        lambda: tf.Variable(tf.exp(1000.0), trainable=False),
    ],
)
def test_an_overflow_that_harms_nothing_silences_no_warning(tmp_path: Path, overflow: Program) -> None:
    def program() -> None:
        overflow()
        a_layer_that_dies_at_once()

    answer = why_of(program, tmp_path)
    assert answer["status"] == "non_finite"
    assert [each["kind"] for each in answer["warnings"]] == ["dead_units"]


DYING = """
import tensorflow as tf
kernel, bias = tf.Variable(tf.ones([4, 3])), tf.Variable([-99.0, -99.0, -99.0])
optimizer = tf.keras.optimizers.SGD(0.1)
for step in range(12):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.random.normal([8, 4], seed=1) @ kernel + bias)
        loss = tf.reduce_mean(tf.square(hidden - 1.0))
    optimizer.apply_gradients(zip(tape.gradient(loss, [kernel, bias]), [kernel, bias]))
"""


def test_trainings_that_diverge_in_turn_are_no_loop(tmp_path: Path) -> None:
    def program() -> None:
        for _ in range(4):
            weight = tf.Variable(2.0)
            for _ in range(45):
                with tf.GradientTape() as tape:
                    loss = weight**2
                weight.assign_sub(2.0 * tape.gradient(loss, weight))

    told = why_of(program, tmp_path)
    assert [origin["cause"] for origin in told["origins"]] == ["diverging_values"]
    assert told["warnings"] == []


def test_run_ends_with_the_number_of_warnings(tmp_path: Path) -> None:
    (tmp_path / "dying.py").write_text(DYING)
    words = [sys.executable, "-m", "tensordbg", "run", "dying.py"]
    process = programs.run(words, cwd=tmp_path, capture_output=True, check=True, text=True)
    named, last = process.stderr.splitlines()[-2:]
    assert named.startswith("tdbg: warning: ")
    assert "(dying.py:" in named
    assert last == "tdbg: 1 warning of finite numbers; `tdbg why` tells what and where"


def test_what_made_values_grow_is_told(tmp_path: Path) -> None:
    given, divided = (
        why_of(program, tmp_path)["warnings"][0]
        for program in (a_factor_that_the_program_passes_in, a_divisor_that_shrinks)
    )
    assert "what comes in grows, not the model" in given["explanation"]
    assert "It is divided by divisor, which shrank from 0.2 to" in divided["explanation"]
    assert divided["suggestion"].startswith("Keep divisor away from 0")
