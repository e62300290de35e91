"""Loops, branches and what is built from them: every turn and every branch that ran is recorded."""

from __future__ import annotations

import linecache
from pathlib import Path

import pytest
import tensorflow as tf

from tests.backends.tensorflow.checked import checking
from tests.e2e.programs.checking import Program, check, marked_lines, recorded_and_why


def map_fn() -> object:
    @tf.function
    def each(x: tf.Tensor) -> tf.Tensor:
        return tf.map_fn(lambda row: row / tf.norm(row), x)  # HERE

    return each(tf.constant([[3.0, 4.0], [0.0, 0.0]]))


def map_fn_in_parallel_eagerly() -> object:
    return tf.map_fn(lambda x: tf.math.log(x), tf.constant([1.0, 0.0]), parallel_iterations=4)  # HERE


def scan() -> object:
    @tf.function
    def running(x: tf.Tensor) -> tf.Tensor:
        return tf.scan(lambda total, x: tf.exp(total + x), x)  # HERE

    return running(tf.constant([1.0, 2.0, 90.0]))


def fold() -> object:
    @tf.function
    def both(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.foldl(lambda a, b: a / b, x), tf.foldr(lambda a, b: a + b, x)  # HERE

    return both(tf.constant([1.0, 0.0, 3.0]))


def vectorized_map() -> object:
    @tf.function
    def each(x: tf.Tensor) -> tf.Tensor:
        return tf.vectorized_map(lambda row: tf.reduce_sum(tf.math.log(row)), x)  # HERE

    return each(tf.constant([[1.0, 2.0], [0.0, 1.0]]))


def while_loop_with_a_limit() -> object:
    @tf.function
    def grow(x: tf.Tensor) -> list[tf.Tensor]:
        def body(i: tf.Tensor, x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, x * x  # HERE

        return tf.while_loop(lambda i, x: i < 100, body, [0, x], maximum_iterations=9, parallel_iterations=3)

    return grow(tf.constant(10.0))


def eager_while_loop() -> object:
    return tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, tf.math.log(x)), [0, tf.constant(1.0)])  # HERE


def nested_loops_with_break_and_continue() -> object:
    @tf.function
    def search(x: tf.Tensor) -> tf.Tensor:
        for i in tf.range(4):
            if i == 1:
                continue
            while x < 50.0:
                x += 10.0
                if x > 35.0:
                    break
            if i == 3:
                x = tf.sqrt(30.0 - x)  # HERE
        return x

    return search(tf.constant(1.0))


def gradient_of_a_loop() -> object:
    @tf.function
    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(3):
                y = tf.sqrt(y)
        return tape.gradient(y, x)  # HERE

    return slope(tf.constant(0.0))


def tensor_array() -> object:
    @tf.function
    def squares(x: tf.Tensor) -> tf.Tensor:
        parts = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
        for i in tf.range(4):
            parts = parts.write(i, 1.0 / (x - tf.cast(i, tf.float32)))  # HERE
        return parts.stack()

    return squares(tf.constant(2.0))


def switch_case() -> object:
    @tf.function
    def choose(index: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
        def one() -> tf.Tensor:
            return tf.math.log(x)  # HERE

        return tf.switch_case(index, {0: lambda: tf.sin(x), 1: one}, default=lambda: tf.exp(x))

    return [choose(tf.constant(index), tf.constant(0.0)) for index in (0, 1, 7)]


def case() -> object:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        def negative() -> tf.Tensor:
            return tf.sqrt(x)  # HERE

        return tf.case([(x > 1.0, lambda: tf.sqrt(x)), (x < 0.0, negative)], default=lambda: x)

    return [choose(tf.constant(x)) for x in (4.0, 0.5, -4.0)]


def branches_in_branches_with_gradients() -> object:
    weight = tf.Variable([1.0, 4.0])

    @tf.function
    def step(deep: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            if deep > 0:
                if deep > 1:  # noqa: SIM108  a branch within a branch is the point
                    loss = tf.reduce_sum(tf.math.log(weight - 1.0))  # HERE
                else:
                    loss = tf.reduce_sum(weight)
            else:
                loss = tf.reduce_sum(weight * weight)
        weight.assign_sub(tape.gradient(loss, weight) * 0.0)
        return loss

    return [step(tf.constant(deep)) for deep in (0, 1, 2)]


def recursion_and_many_calls() -> object:
    @tf.function
    def inner(x: tf.Tensor, power: int) -> tf.Tensor:
        return x if power == 0 else inner(x, power - 1) * x  # HERE

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return tf.add_n([inner(x, power) for power in range(4)]) + inner(x * 1e30, 2)

    return outer(tf.constant(2.0))


def assertions_and_prints() -> object:
    @tf.function
    def guarded(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_greater(x, 0.0)
        with tf.control_dependencies([tf.debugging.assert_rank(x, 1)]):
            return tf.math.log(x - x)  # HERE

    return guarded(tf.constant([1.0, 2.0]))


def no_loop_at_all() -> object:
    @tf.function
    def none(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(0):
            x = tf.math.log(x)
        return x + tf.reduce_sum(tf.map_fn(tf.sin, x[:0]))

    return none(tf.constant([1.0, 0.0]))


def condition_that_goes_wrong() -> object:
    @tf.function
    def converge(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        turns, error = 0, tf.constant(1.0)
        while tf.sqrt(error) > 1e-3:  # HERE
            x -= 1.0
            error = x * x - 3.0
            turns += 1
        return x, turns

    return converge(tf.constant(4.0))


def condition_with_a_limit_in_a_branch() -> object:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.norm(x / x)  # HERE

    @tf.function
    def outer(x: tf.Tensor, deep: tf.Tensor) -> object:
        if deep:
            return tf.while_loop(
                lambda _, x: inner(x) < 10.0, lambda i, x: (i + 1, x - 1.0), [0, x], maximum_iterations=9
            )[1]
        return x

    return [outer(tf.constant([3.0, 5.0]), tf.constant(deep)) for deep in (False, True)]


def condition_of_a_loop_in_a_loop() -> object:
    @tf.function
    def search(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            while tf.math.log(x - 2.0) > -1.0 and x < 100.0:  # HERE
                x -= 1.0
                if x < -50.0:
                    break
            x += 1.0
        return x

    return search(tf.constant(4.0))


def condition_in_a_gradient() -> object:
    @tf.function
    def slope(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            while tf.math.log(y) < 2.0:  # HERE
                y = y * y - 2.0
        return tape.gradient(y, x)

    return slope(tf.constant(1.3))


def condition_in_a_pipeline() -> object:
    def halved(x: tf.Tensor) -> tf.Tensor:
        while 1.0 / x < 3.0:  # HERE
            x -= 0.5
        return x

    return list(tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(halved))


CONDITIONS: list[tuple[Program, str, list[int]]] = [
    (condition_that_goes_wrong, "Sqrt", [0, 1, 2, 3]),
    (condition_with_a_limit_in_a_branch, "truediv", [0, 1, 2, 3]),
    (condition_of_a_loop_in_a_loop, "Log", [0, 1, 2, 0, 1]),
    (condition_in_a_gradient, "Log", [0, 1]),
    (condition_in_a_pipeline, "truediv", [0, 1, 2, 0, 1, 2, 3, 4]),
]
"""Each with an operation of its loop's condition, and the turns in which that is asked."""


PROGRAMS: list[Program] = [
    map_fn,
    map_fn_in_parallel_eagerly,
    scan,
    fold,
    vectorized_map,
    while_loop_with_a_limit,
    eager_while_loop,
    nested_loops_with_break_and_continue,
    gradient_of_a_loop,
    tensor_array,
    switch_case,
    case,
    branches_in_branches_with_gradients,
    recursion_and_many_calls,
    assertions_and_prints,
    no_loop_at_all,
]


@pytest.mark.parametrize("program", [*PROGRAMS, *(program for program, _, _ in CONDITIONS)])
def test_the_same_bits_and_the_guilty_line(tmp_path: Path, program: Program) -> None:
    check(program, tmp_path)


def test_the_turn_in_which_it_went_wrong(tmp_path: Path) -> None:
    checked = check(while_loop_with_a_limit, tmp_path)
    assert checked.answer["origins"][0]["iteration"] == 5
    assert len(checked.named("mul")) == 9


def test_only_the_branches_taken_ran(tmp_path: Path) -> None:
    checked = check(switch_case, tmp_path)
    ran = [(event.step, event.name.rsplit("/", 1)[-1]) for event in checked.recorded.events if "/" in event.name]
    # Each has the result that the program takes behind it.
    assert [each for each in ran if each[1] != "Identity"] == [(0, "Sin"), (1, "Log"), (2, "Exp")]
    assert sorted(step for step, name in ran if name == "Identity") == [0, 1, 2]


def test_a_loop_without_a_turn_computed_nothing(tmp_path: Path) -> None:
    checked = check(no_loop_at_all, tmp_path)
    assert checked.named("Log") == []


@pytest.mark.parametrize(("program", "operation", "turns"), CONDITIONS)
def test_a_condition_is_seen_in_each_turn(tmp_path: Path, program: Program, operation: str, turns: list[int]) -> None:
    recorded = recorded_and_why(program, tmp_path).recorded
    asked = [event for event in recorded.events if event.name.endswith(operation) and event.iteration is not None]
    runs: dict[int, list[int | None]] = {}
    for event in sorted(asked, key=lambda event: event.row["time_ns"]):
        runs.setdefault(event.row["run"], []).append(event.iteration)
    assert [turn for run in sorted(runs.values(), key=len) for turn in run] == turns


@pytest.mark.parametrize("program", [program for program, _, _ in CONDITIONS])
def test_a_condition_is_checked(program: Program) -> None:
    with checking(), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        program()
    lines = [line for line in str(raised.value).splitlines() if line.startswith(" -> |   ")]
    (here,) = marked_lines(program)
    assert linecache.getline(__file__, here).split("#")[0].strip() in {line[8:].split("#")[0].strip() for line in lines}
