"""A check that stops at a gradient names the line of its forward operation, wherever the gradient was made.

Lines that a message must name end with `# HERE`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.check.forward_operations import ForwardOperations
from tensordbg.recording.usercode import UserCode
from tests.backends.tensorflow.checked import checking, raised

v1 = tf.compat.v1

Program = Callable[[], None]


def in_function() -> None:
    w = tf.Variable([0.0, 1.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(w))  # HERE
        return tape.gradient(loss, w)

    step()


def forward_and_backward_functions() -> None:
    w = tf.Variable([0.0, 1.0])

    @tf.function
    def forward() -> Any:
        return tf.reduce_sum(tf.sqrt(w))  # HERE

    with tf.GradientTape() as tape:
        loss = forward()
    tape.gradient(loss, w)


def two_lines_take_the_same() -> None:
    w = tf.Variable([0.0, 1.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            with tf.name_scope("entropy"):
                a = tf.math.asinh(w)
            with tf.name_scope("other"):
                a += tf.sqrt(w) * tf.math.acosh(w + 2.0)  # HERE
            loss = tf.reduce_sum(a)
        return tape.gradient(loss, w)

    step()


def in_branch() -> None:
    w = tf.Variable([0.0, 1.0])

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.cond(x > 0, lambda: tf.sqrt(w), lambda: w))  # HERE
        return tape.gradient(loss, w)

    step(tf.constant(1.0))


def in_loop() -> None:
    w = tf.Variable([0.0, 1.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            total = tf.zeros(2)
            for _ in tf.range(2):
                total += tf.sqrt(w)  # HERE
            loss = tf.reduce_sum(total)
        return tape.gradient(loss, w)

    step()


def by_gradients_in_function() -> None:
    @tf.function
    def step(x: Any) -> Any:
        y = tf.reduce_sum(tf.sqrt(x))  # HERE
        return tf.gradients(y, x)

    step(tf.constant([0.0, 1.0]))


def in_session_whose_loss_is_pruned() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=[0.0, 1.0])
        with v1.name_scope("model"):
            loss = tf.reduce_sum(tf.math.log(w * 1.0))  # HERE
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        session.run(train)


def in_loop_of_session() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=[0.0, 1.0])
        _, total = tf.while_loop(
            lambda i, _: i < 2,
            lambda i, t: (i + 1, t + tf.sqrt(w)),  # HERE
            [0, tf.zeros(2)],
        )
        train = v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(total))
        session.run(v1.global_variables_initializer())
        session.run(train)


def eagerly() -> None:
    w = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.sqrt(w))  # HERE
        loss += tf.reduce_sum(tf.sqrt(w + 1.0))
    tape.gradient(loss, w)


def eagerly_where_the_gradient_needs_what_was_taken() -> None:
    x = tf.constant([0.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(tf.acos(x))  # HERE
        loss += tf.reduce_sum(tf.acos(x * 0.5))
    tape.gradient(loss, x)


def custom_gradient() -> None:
    @tf.custom_gradient
    def half(x: Any) -> Any:
        return x * 0.5, lambda dy: dy / tf.zeros_like(x)  # HERE

    w = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(half(w))
    tape.gradient(loss, w)


def custom_gradient_in_function() -> None:
    @tf.custom_gradient
    def half(x: Any) -> Any:
        return x * 0.5, lambda dy: dy / tf.zeros_like(x)  # HERE

    w = tf.Variable([0.0, 1.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(half(w))
        return tape.gradient(loss, w)

    step()


PROGRAMS: list[tuple[Program, str]] = [
    (in_function, "Sqrt"),
    (forward_and_backward_functions, "Sqrt"),
    (two_lines_take_the_same, "Sqrt"),
    (in_branch, "Sqrt"),
    (in_loop, "Sqrt"),
    (by_gradients_in_function, "Sqrt"),
    (in_session_whose_loss_is_pruned, "Log"),
    (in_loop_of_session, "Sqrt"),
    (eagerly, "Sqrt"),
    (eagerly_where_the_gradient_needs_what_was_taken, "Acos"),
    (custom_gradient, ""),
    (custom_gradient_in_function, ""),
]


@pytest.mark.parametrize(("program", "kind"), PROGRAMS, ids=lambda each: getattr(each, "__name__", each))
def test_the_forward_line_comes_first(program: Program, kind: str) -> None:
    lines, first = inspect.getsourcelines(program)
    (line,) = [number for number, text in enumerate(lines, first) if text.rstrip().endswith("# HERE")]
    with checking():
        found = raised(program)
    assert found is not None
    named = re.search(r'op "\w+" \(# of outputs: \d+\)(?:, gradient of (\w+), (\S+):(\d+))? !!!', found.message)
    assert named is not None
    assert named.groups() == ((kind, "test_forward_operations.py", str(line)) if kind else (None, None, None))
    assert f" (L{line}) " in (re.search(r"^  Source: .*$", found.message, re.MULTILINE) or [""])[0]
    assert ("\n  Differentiated: " in found.message) == bool(kind)


def test_no_gradient_has_a_forward_operation() -> None:
    with tf.Graph().as_default() as graph:
        made = tf.sqrt(tf.constant([1.0, 2.0]))
        assert ForwardOperations(UserCode()).of(made.op) is None
        assert graph is made.graph
