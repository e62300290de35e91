"""Small real programs that go wrong, each for a known reason: `why` must name the line, the input and the cause.

Each marks the guilty line with `# HERE`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json

Program = Callable[[], object]
PROGRAMS: dict[str, list[Program]] = {}


def cause(name: str) -> Callable[[Program], Program]:
    """Enters a program into the list of those with this cause."""

    def enter(program: Program) -> Program:
        PROGRAMS.setdefault(name, []).append(program)
        return program

    return enter


def why_of(program: Program, folder: Path) -> dict[str, Any]:
    """Records a program and asks why."""
    with tensordbg.record(folder) as recording:
        program()
    return why_to_json(tensordbg.open(recording.path).why())


def as_graph(function: Callable[..., Any], *arguments: Any) -> Any:
    return tf.function(function)(*[tf.constant(argument) for argument in arguments])


@cause("log_of_zero")
def log_in_a_graph() -> None:
    as_graph(lambda x: tf.reduce_sum(tf.math.log(x)), [1.0, 0.0])  # HERE


@cause("log_of_zero")
def log_eagerly() -> None:
    x = tf.constant([1.0, 2.0])
    y = x - 1.0
    tf.math.log(y).numpy()  # HERE


@cause("log_of_zero")
def log1p_at_minus_one() -> None:
    as_graph(tf.math.log1p, [0.0, -1.0])  # HERE


@cause("log_of_zero")
def log_deep_in_a_loop() -> None:
    @tf.function
    def shrink(x: tf.Tensor) -> tf.Tensor:
        total = tf.constant(0.0)
        for _ in tf.range(5):
            total += tf.math.log(x)  # HERE
            x = tf.nn.relu(x - 1.0)
        return total

    shrink(tf.constant(2.5))


@cause("log_of_negative")
def log_of_a_negative_number() -> None:
    as_graph(lambda x: tf.math.log(x), [1.0, -2.0])  # HERE


@cause("division_by_zero")
def division() -> None:
    as_graph(lambda x, y: x / y, [1.0, 2.0], [1.0, 0.0])  # HERE


@cause("division_by_zero")
def zero_by_zero() -> None:
    as_graph(lambda x: x / tf.reduce_sum(x), [0.0, 0.0])  # HERE


@cause("division_by_zero")
def reciprocal() -> None:
    tf.math.reciprocal(tf.constant([2.0, 0.0])).numpy()  # HERE


@cause("division_by_zero")
def standard_score_of_a_constant_column() -> None:
    @tf.function
    def normalise(x: tf.Tensor) -> tf.Tensor:
        mean, variance = tf.nn.moments(x, axes=[0])
        return (x - mean) / tf.sqrt(variance)  # HERE

    normalise(tf.constant([[1.0, 5.0], [2.0, 5.0]]))


@cause("root_of_negative")
def root() -> None:
    as_graph(lambda x: tf.sqrt(x), [4.0, -4.0])  # HERE


@cause("infinite_gradient")
def gradient_of_root_at_zero() -> None:
    x = tf.Variable([4.0, 0.0])

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(x))
        x.assign_sub(tape.gradient(loss, x))  # HERE

    step()


@cause("infinite_gradient")
def gradient_of_norm_at_zero() -> None:
    x = tf.Variable([0.0, 0.0])

    @tf.function
    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.norm(x)
        return tape.gradient(loss, x)  # HERE

    step()


@cause("infinite_gradient")
def gradient_of_power_at_zero() -> None:
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.pow(x, 0.5))
    tape.gradient(loss, x)  # HERE


@cause("infinite_gradient")
def gradient_through_where() -> None:
    x = tf.Variable([1.0, 0.0])

    @tf.function
    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0))
        return tape.gradient(loss, x)  # HERE

    step()


@cause("exp_overflow")
def exponential() -> None:
    as_graph(lambda x: tf.exp(x), [1.0, 100.0])  # HERE


@cause("exp_overflow")
def hand_made_softmax() -> None:
    @tf.function
    def softmax(x: tf.Tensor) -> tf.Tensor:
        powers = tf.exp(x)  # HERE
        return powers / tf.reduce_sum(powers)

    softmax(tf.constant([1.0, 200.0]))


@cause("pow_domain")
def power_of_a_negative_number() -> None:
    as_graph(lambda x: tf.pow(x, 0.5), [4.0, -4.0])  # HERE


@cause("arithmetic_overflow")
def product() -> None:
    as_graph(lambda x: x * x, [1.0, 3e20])  # HERE


@cause("arithmetic_overflow")
def square() -> None:
    as_graph(lambda x: tf.square(x), [1.0, 3e20])  # HERE


@cause("arithmetic_overflow")
def total() -> None:
    as_graph(lambda x: tf.reduce_sum(x), [3e38, 3e38])  # HERE


@cause("inf_minus_inf")
def difference_of_infinities() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        limit = tf.constant(np.inf, tf.float32)
        return (x + limit) - limit  # HERE

    program(tf.constant([1.0]))


@cause("zero_times_inf")
def zero_times_infinity() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return x * tf.constant(np.inf, tf.float32)  # HERE

    program(tf.constant([0.0]))


@cause("half_precision_overflow")
def half_precision() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.cast(x, tf.float16) * tf.constant(300.0, tf.float16)  # HERE

    program(tf.constant([1.0, 300.0]))


@cause("cast_overflow")
def cast() -> None:
    as_graph(lambda x: tf.cast(x, tf.float16), [1.0, 1e5])  # HERE


@cause("cast_overflow")
def cast_from_double() -> None:
    as_graph(lambda x: tf.cast(x, tf.float32), np.array([1.0, 1e300]))  # HERE


@cause("function_domain")
def arc_cosine() -> None:
    as_graph(lambda x: tf.acos(x), [0.5, 1.5])  # HERE


@cause("function_domain")
def area_hyperbolic_tangent() -> None:
    as_graph(lambda x: tf.atanh(x), [0.5, 1.0])  # HERE


@cause("singular_matrix")
def determinant_of_a_singular_matrix() -> None:
    as_graph(lambda x: tf.linalg.logdet(tf.matmul(x, x, transpose_a=True)), [[1.0, 2.0]])  # HERE


@cause("inf_minus_inf")
def infinities_in_a_segment() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        masked = tf.where(x > 0.0, np.inf, -np.inf)
        return tf.math.unsorted_segment_sum(masked, [0, 0], 1)  # HERE

    program(tf.constant([1.0, -1.0]))


@cause("zero_times_inf")
def infinity_in_a_convolution() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        masked = tf.where(x > 0.0, x, -np.inf)
        return tf.nn.conv2d(masked, tf.zeros([1, 1, 1, 1]), 1, "SAME")  # HERE

    program(tf.constant([[[[1.0], [-1.0]]]]))


@cause("diverging_values")
def learning_rate_too_high() -> None:
    weight = tf.Variable([[1.0]])
    x, y = tf.constant([[3.0], [4.0]]), tf.constant([[1.0], [2.0]])

    @tf.function
    def step() -> tf.Tensor:
        with tf.GradientTape() as tape:
            error = x @ weight - y
            loss = tf.reduce_mean(tf.square(error))  # HERE
        weight.assign_sub(20.0 * tape.gradient(loss, weight))
        return loss

    for _ in range(30):
        step()


@cause("bad_input_data")
def bad_batch_in_a_function() -> None:
    @tf.function
    def model(images: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(images * 2.0)

    batch = np.ones((4, 3), np.float32)
    model(tf.constant(batch))
    batch[2, 1] = np.nan
    model(tf.constant(batch))


@cause("bad_input_data")
def bad_batch_eagerly() -> None:
    batch = np.ones((4, 3), np.float32)
    batch[2, 1] = np.nan
    float(tf.reduce_mean(tf.constant(batch) * 2.0))  # HERE


@cause("bad_variable")
def variable_that_starts_bad() -> None:
    weight = tf.Variable(np.array([1.0, np.nan], np.float32), name="weight")

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(x * weight)

    step(tf.ones(2))


EARLY = tf.Variable(np.array([1.0, np.inf], np.float32), name="early")


@cause("bad_variable")
def variable_bad_before_recording() -> None:
    as_graph(lambda x: tf.reduce_sum(x * EARLY), [1.0, 1.0])  # HERE


@cause("non_finite_constant")
def infinite_constant() -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_max(x + np.inf)  # HERE

    program(tf.constant([1.0]))


@cause("fully_masked_softmax")
def softmax_over_nothing_but_masked() -> None:
    @tf.function
    def attend(scores: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        masked = tf.where(mask, scores, -np.inf)
        return tf.nn.softmax(masked)  # HERE

    attend(tf.ones([2, 3]), tf.constant([[True, True, False], [False, False, False]]))


@cause("reduction_of_nothing")
def mean_of_nothing() -> None:
    as_graph(lambda x: tf.reduce_mean(tf.boolean_mask(x, x > 5.0)), [1.0, 2.0])  # HERE


@cause("reduction_of_nothing")
def maximum_of_nothing() -> None:
    as_graph(lambda x: tf.reduce_max(tf.boolean_mask(x, x > 5.0)), [1.0, 2.0])  # HERE


CASES = [pytest.param(name, program, id=program.__name__) for name, all_of in PROGRAMS.items() for program in all_of]


def marked_line(program: Program) -> int | None:
    """The line that a program marks as the guilty one."""
    lines = Path(__file__).read_text().splitlines()
    first = program.__code__.co_firstlineno
    for number, line in enumerate(lines[first:], first + 1):
        if line.endswith("# HERE"):
            return number
        if line.startswith(("def ", "@cause", "CASES")):
            return None
    return None


@pytest.mark.parametrize(("name", "program"), CASES)
def test_the_first_origin_is_the_guilty_line(tmp_path: Path, name: str, program: Program) -> None:
    answer = why_of(program, tmp_path)
    assert answer["status"] == "non_finite"
    origin = answer["origins"][0]
    assert (origin["cause"], origin["consequential"]) == (name, True), origin["explanation"]
    line = marked_line(program)
    if line is not None:
        assert origin["source"]["file"] == __file__
        assert origin["source"]["line"] == line


def test_a_recurrence_that_overflows_within_an_eager_step_is_no_diverging_training(tmp_path: Path) -> None:
    def program() -> None:
        recurrent = tf.Variable(tf.eye(4) * 9.0)
        with tf.GradientTape() as tape:
            state = tf.ones([2, 4])
            for _ in range(60):
                state = tf.nn.relu(state @ recurrent)
            loss = tf.reduce_mean(state)
        recurrent.assign_sub(1e-3 * tape.gradient(loss, recurrent))

    origin = why_of(program, tmp_path)["origins"][0]
    assert origin["cause"] == "diverging_values"
    assert "grew iteration by iteration" in origin["explanation"]
    assert "smaller weights" in origin["suggestion"]


def test_what_began_before_the_events_that_were_kept(tmp_path: Path) -> None:
    @tf.function
    def step(total: tf.Tensor) -> tf.Tensor:
        return total * 0.5 + 1.0

    with tensordbg.record(tmp_path, last=6) as recording:
        total = tf.math.log(tf.constant(-1.0))
        for _ in range(20):
            total = step(total)
    answer = why_to_json(tensordbg.open(recording.path).why())
    assert answer["status"] == "non_finite"
    assert {origin["cause"] for origin in answer["origins"]} == {"before_kept_events"}


ELSEWHERE = {
    "bad_before_step",  # test_torch_trap_before_step.py: it takes a captured step
    "before_kept_events",  # above: it takes a recording that keeps only the last events
    "between_recorded_tensors",  # test_overhead_in_part.py: it takes a recording within a budget
    "deviation_of_one",  # test_torch_causes.py: it takes a deviation with a correction
    "from_another_process",  # test_many_processes.py: it takes two workers
    "factor_not_finite",  # test_torch_causes.py: its sums scale what they add
    "shrinking_divisor",  # test_jumps.py: it is told by its course
    "impossible_alignment",  # test_torch_causes.py: TensorFlow's loss raises where labels don't fit
    "no_label_counts",  # test_torch_causes.py: it takes a mean over the labels that count
    "regrouped_operations",  # analysis/causes/test_regrouping.py: it takes a session
    "returned_from_python",  # test_round_trips.py: it comes after another origin
    "source_not_seen",  # test_moving_operations.py: it takes a dump that records some operations only
}


def test_every_cause_has_a_program() -> None:
    from tensordbg.analysis.causes.table import TABLE

    assert {cause.name for cause in TABLE} - {"unknown"} - ELSEWHERE == set(PROGRAMS)


def test_the_batch_row_is_named(tmp_path: Path) -> None:
    origin = why_of(bad_batch_in_a_function, tmp_path)["origins"][0]
    assert origin["first_bad_index"] == [2, 1]
    assert origin["step"] == 1
    assert "row 2" in origin["explanation"]
    assert origin["tensor"] == "images:0"


def test_the_turn_of_the_loop_is_named(tmp_path: Path) -> None:
    origin = why_of(log_deep_in_a_loop, tmp_path)["origins"][0]
    assert origin["iteration"] == 3
    assert origin["inputs"][0]["health"]["zero"] == 1


def test_the_variable_is_named(tmp_path: Path) -> None:
    origin = why_of(variable_bad_before_recording, tmp_path)["origins"][0]
    assert "early" in origin["explanation"]


def test_ruined_weights_lead_back_to_the_step_that_ruined_them(tmp_path: Path) -> None:
    weight = tf.Variable([4.0, 1.0], name="weight")

    @tf.function
    def step(shift: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.math.log(tf.nn.relu(weight - shift)))
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
        return loss

    def program() -> None:
        for shift in (0.0, 0.1, 2.0, 0.0, 0.0):
            step(tf.constant(shift))

    answer = why_of(program, tmp_path)
    assert {origin["step"] for origin in answer["origins"]} == {2}
    first = answer["origins"][0]
    assert (first["cause"], first["op_type"]) == ("log_of_zero", "Log")
    assert {"loss", "gradient", "variable"} <= {reach for origin in answer["origins"] for reach in origin["reaches"]}
    assert sum(origin["propagated"] for origin in answer["origins"]) >= answer["non_finite_events"] - 2


def test_an_eager_loop_leads_back_too(tmp_path: Path) -> None:
    weight = tf.Variable([4.0, 1.0], name="weight")

    def program() -> None:
        for shift in (0.0, 2.0, 0.0):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sqrt(tf.nn.relu(weight - shift)))
            weight.assign_sub(0.1 * tape.gradient(loss, weight))

    answer = why_of(program, tmp_path)
    consequential = [origin for origin in answer["origins"] if origin["consequential"]]
    assert [origin["cause"] for origin in consequential][:1] == ["infinite_gradient"]
    assert "variable" in consequential[0]["reaches"]


def mask_of_attention() -> None:
    @tf.function
    def attend(scores: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
        masked = tf.where(mask, scores, -np.inf)
        return tf.reduce_sum(tf.nn.softmax(masked))

    attend(tf.ones([2, 3]), tf.constant([[True, True, False], [True, False, False]]))


def dropped_branch() -> None:
    as_graph(lambda x: tf.reduce_sum(tf.where(x > 0.0, tf.math.log(x), 0.0)), [1.0, 0.0])


def maximum_over_nothing_and_something() -> None:
    as_graph(lambda x: tf.maximum(tf.reduce_max(x[:0]), tf.reduce_max(x)), [1.0, 2.0])


@pytest.mark.parametrize("program", [mask_of_attention, dropped_branch, maximum_over_nothing_and_something])
def test_an_infinity_that_dies_out_is_harmless(tmp_path: Path, program: Program) -> None:
    answer = why_of(program, tmp_path)
    assert answer["origins"]
    assert [origin["consequential"] for origin in answer["origins"]] == [False] * len(answer["origins"])
    assert [origin["reaches"] for origin in answer["origins"]] == [[]] * len(answer["origins"])


def test_all_is_finite(tmp_path: Path) -> None:
    answer = why_of(lambda: as_graph(lambda x: tf.math.log(x), [1.0, 2.0]), tmp_path)
    assert (answer["status"], answer["origins"], answer["non_finite_events"]) == ("finite", [], 0)
    assert answer["tensor_events"] >= 2


def test_keras_fit_with_a_loss_of_the_users(tmp_path: Path) -> None:
    def loss(labels: tf.Tensor, probs: tf.Tensor) -> tf.Tensor:
        return -tf.reduce_sum(labels * tf.math.log(probs), axis=-1)

    def program() -> None:
        keras.utils.set_random_seed(3)
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2, "softmax", kernel_initializer="identity")])
        model.compile("sgd", loss)
        x = np.array([[1.0, 2.0], [400.0, -400.0]] * 8, np.float32)
        model.fit(x, np.eye(2, dtype=np.float32)[[0, 1] * 8], batch_size=4, epochs=2, verbose=0)

    origin = why_of(program, tmp_path)["origins"][0]
    assert (origin["cause"], origin["step"]) == ("log_of_zero", 0)
    assert origin["source"]["function"] == "loss"
    assert origin["source"]["text"] == "return -tf.reduce_sum(labels * tf.math.log(probs), axis=-1)"
    assert "softmax" in origin["suggestion"]


def test_bad_rows_of_keras_data(tmp_path: Path) -> None:
    def program() -> None:
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        x = np.ones((12, 2), np.float32)
        x[9, 1] = np.nan
        model.fit(x, np.ones((12, 1), np.float32), batch_size=4, shuffle=False, verbose=0)

    origin = why_of(program, tmp_path)["origins"][0]
    assert (origin["cause"], origin["first_bad_index"]) == ("bad_input_data", [9, 1])
    assert {"loss", "gradient", "variable"} <= set(origin["reaches"])


def test_a_division_inside_of_an_input_pipeline(tmp_path: Path) -> None:
    def program() -> None:
        dataset = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0]).map(tf.math.reciprocal).batch(2)
        total = tf.function(tf.reduce_sum)
        for batch in dataset:
            total(batch)

    origin = why_of(program, tmp_path)["origins"][0]
    assert (origin["cause"], origin["op_type"], origin["consequential"]) == ("division_by_zero", "Reciprocal", True)
    assert "Dataset.from_tensor_slices" in origin["source"]["text"]


def test_a_bad_row_out_of_a_generator(tmp_path: Path) -> None:
    def rows() -> Iterator[np.ndarray]:
        for number in range(6):
            yield np.array([1.0, np.inf if number == 4 else 2.0], np.float32)

    def program() -> None:
        spec = tf.TensorSpec([2], tf.float32)
        total = tf.function(tf.reduce_sum)
        for batch in tf.data.Dataset.from_generator(rows, output_signature=spec).batch(3):
            total(batch)

    origin = why_of(program, tmp_path)["origins"][0]
    assert (origin["cause"], origin["consequential"], origin["first_bad_index"]) == ("bad_input_data", True, [1])
