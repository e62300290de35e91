"""The gradient of a loop's state is known under the name of the state, in each turn of the loop that computes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.names.listing import recorded_tensors
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.python_names import names_of_text
from tensordbg.backends.tensorflow.internals import while_v2
from tests.backends.tensorflow.recorded import record, scalars, shown


def gradient_of(function: Any, x: Any) -> Any:
    """The gradient of a function, taken in a function."""

    @tf.function
    def differentiated(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = function(x)
        return tape.gradient(result, x)

    return differentiated(x)


def test_the_states_of_a_while_loop_from_the_last_turn_on(tmp_path: Path) -> None:
    def cubed(x: Any) -> Any:
        state, n = tf.constant(1.0), tf.constant(0)
        while n < 3:
            state = state * x
            n += 1
        return state

    values = shown(tmp_path, lambda: gradient_of(cubed, tf.constant(2.0)))
    assert values("state") == [1, 2, 4, 8]
    assert values("gradient of state") == [1, 2, 4, 8]
    # What each turn adds to the gradient of what the loop takes from outside: 4 in the last turn, 2 * 2, 1 * 4.
    assert values("gradient of x") == [0, 4, 8, 12]


@pytest.mark.parametrize("named", [True, False])
def test_a_variable_that_a_loop_reads(named: bool, tmp_path: Path) -> None:
    w = tf.Variable(3.0, name="weight")
    held = [w]

    @tf.function
    def step(x: Any) -> Any:
        def by_name(n: Any, total: Any) -> Any:
            return n + 1, total * w

        def by_place(n: Any, total: Any) -> Any:
            return n + 1, total * held[0]

        with tf.GradientTape() as tape:
            body = by_name if named else by_place
            _, result = tf.while_loop(lambda n, total: n < 3, body, (tf.constant(0), x))
        return tape.gradient(result, w)

    values = shown(tmp_path, lambda: step(tf.constant(1.0)))
    # What each turn adds: 9 in the last, 3 * 3, 9 * 1.
    assert values("gradient of w" if named else "gradient of held[0]") == [0, 9, 18, 27]
    assert values("gradient of weight") == [0, 9, 18, 27]


def test_loops_of_tensorflow_itself(tmp_path: Path) -> None:
    def looped(x: Any) -> Any:
        return tf.while_loop(lambda k, acc: k < 2, lambda k, acc: (k + 1, acc * 3.0), (0, x))[1]

    def mapped(x: Any) -> Any:
        return tf.reduce_sum(tf.map_fn(lambda each: each * each, tf.stack([x, 2.0 * x])))

    def scanned(x: Any) -> Any:
        return tf.scan(lambda before, new: before * new, tf.stack([x, x, x]))[-1]

    reader = record(
        tmp_path, lambda: [gradient_of(each, tf.constant(2.0)) for each in (looped, mapped, scanned)]
    ).reader
    assert scalars(reader, "gradient of acc") == [1, 3, 9]
    assert scalars(reader, "gradient of each") == [8, 4]
    assert scalars(reader, "gradient of new") == [4, 4]
    assert scalars(reader, "gradient of before")[-1] == 4


def test_loops_in_loops_and_functions_under_a_tape(tmp_path: Path) -> None:
    @tf.function
    def nested(x: Any) -> Any:
        outer = x
        for _ in tf.range(2):
            inner = outer
            for _ in tf.range(2):
                inner = inner * 2.0
            outer = inner
        return outer

    def program() -> None:
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = nested(x)
        tape.gradient(result, x)

    values = shown(tmp_path, program)
    assert values("gradient of outer") == [1, 4, 16]
    assert values("outer") == [1, 4, 16]
    assert values("inner") == [1, 2, 4, 4, 8, 16]
    assert values("gradient of inner") == [1, 2, 4, 4, 8, 16]


def test_lists_that_a_loop_fills(tmp_path: Path) -> None:
    def filled(x: Any) -> Any:
        made = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for turn in tf.range(3):
            made = made.write(turn, x * tf.cast(turn, tf.float32))
        return tf.reduce_sum(made.stack() * tf.constant([5.0, 6.0, 7.0]))

    values = shown(tmp_path, lambda: gradient_of(filled, tf.constant(2.0)))
    assert values("made") == [0, 2, 4]
    assert values("gradient of made") == [7, 6, 5]


def test_a_name_that_has_no_gradient_has_none(tmp_path: Path) -> None:
    def looped(x: Any) -> Any:
        n = tf.constant(0)
        while n < 2:
            x = x * 2.0
            n += 1
        return x

    reader = record(tmp_path, lambda: gradient_of(looped, tf.constant(1.0))).reader
    names = names_of_text(read_program(reader), recorded_tensors(reader))
    assert "gradient of x" in names
    assert "gradient of n" not in names


def test_the_hooks_are_taken_out_and_change_nothing(tmp_path: Path) -> None:
    def looped(x: Any) -> Any:
        while x < 10.0:
            x = x * x
        return x

    plain = (while_v2._create_grad_func, while_v2._build_while_op)
    before = float(gradient_of(looped, tf.constant(2.0)))
    found: list[float] = []
    record(tmp_path, lambda: found.append(float(gradient_of(looped, tf.constant(2.0)))))
    assert found == [before] == [pytest.approx(32.0)]
    assert plain == (while_v2._create_grad_func, while_v2._build_while_op)
