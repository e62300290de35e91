"""Variables that functions are given as arguments: what ruins one is the only origin, wherever it is read afterwards.

Each program marks the guilty line with `# HERE`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json

PROGRAMS: list[Callable[[], object]] = []


def program(function: Callable[[], object]) -> Callable[[], object]:
    PROGRAMS.append(function)
    return function


@program
def nested_functions() -> None:
    weights, x = tf.Variable([1.0, 0.0], name="weights"), tf.constant([1.0, 2.0])

    @tf.function
    def inner(v: Any, x: tf.Tensor) -> tf.Tensor:
        v.assign(tf.math.log(v) * x)  # HERE
        return tf.reduce_sum(v * x)

    @tf.function
    def outer(v: Any, x: tf.Tensor) -> tf.Tensor:
        return inner(v, x)

    @tf.function
    def loss(given: dict[str, Any], x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(given["w"] * x)

    for _ in range(3):
        outer(weights, x)
    loss({"w": weights}, x)


@program
def one_function_for_several_variables() -> None:
    a, b = tf.Variable([0.0], name="a"), tf.Variable([5.0], name="b")

    @tf.function
    def move(source: Any, target: Any) -> None:
        target.assign(tf.math.log(source))  # HERE

    @tf.function
    def total(x: Any, y: Any) -> tf.Tensor:
        return x + y

    total(a, b)
    move(a, b)
    total(a, b)
    total(b, a)


@program
def loop_in_a_called_function() -> None:
    v = tf.Variable([1.0, 0.5])

    @tf.function
    def shrink(v: Any, n: int) -> tf.Tensor:
        for _ in tf.range(n):
            v.assign_sub([0.0, 0.25])
            v.assign(tf.math.log(v) + 1.0)  # HERE
        return tf.reduce_sum(v)

    @tf.function
    def outer(v: Any) -> tf.Tensor:
        return shrink(v, 3)

    outer(v)
    outer(v)


@program
def branch() -> None:
    v = tf.Variable([1.0, 0.0])

    @tf.function
    def step(v: Any, spoils: tf.Tensor) -> tf.Tensor:
        if spoils:
            v.assign(tf.math.log(v))  # HERE
        else:
            v.assign_add([1.0, 1.0])
        return tf.reduce_sum(v)

    step(v, tf.constant(True))
    step(v, tf.constant(False))


@program
def rows_of_a_table() -> None:
    table = tf.Variable(tf.ones([4, 2]))

    @tf.function
    def look(table: Any, rows: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.gather(table, rows))

    @tf.function
    def spoil(table: Any, row: int) -> None:
        table.scatter_nd_update([[row]], [tf.math.log(tf.zeros([2]))])  # HERE

    spoil(table, 1)
    look(table, [0, 2])
    look(table, [1, 2])


@program
def training_that_diverges() -> None:
    w, b = tf.Variable(5.0), tf.Variable(0.0)
    x = tf.linspace(-2.0, 2.0, 20)

    @tf.function
    def update(w: Any, b: Any, dw: tf.Tensor, db: tf.Tensor, rate: float) -> None:
        w.assign_sub(rate * dw)  # HERE
        b.assign_sub(rate * db)

    @tf.function
    def gradients(given: list[Any]) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(given[0] * x + given[1] - (3.0 * x + 2.0)))
        return tape.gradient(loss, given)

    for _ in range(25):
        update(w, b, *gradients([w, b]), 50.0)


@program
def an_optimizer_in_a_function() -> None:
    v = tf.Variable([1.0, 0.0])
    optimizer = keras.optimizers.Adam()
    optimizer.build([v])

    @tf.function
    def gradients(given: dict[str, Any]) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(given["v"]))
        return tape.gradient(loss, [given["v"]])  # HERE

    @tf.function
    def apply(gradients: Any, given: list[Any]) -> None:
        optimizer.apply_gradients(zip(gradients, given, strict=True))

    for _ in range(3):
        apply(gradients({"v": v}), [v])


@program
def replicas() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        v = tf.Variable([1.0, 0.0], aggregation=tf.VariableAggregation.MEAN)

    @tf.function
    def step(v: Any) -> Any:
        def replica(v: Any) -> tf.Tensor:
            v.assign(tf.math.log(v))  # HERE
            return tf.reduce_sum(v)

        return strategy.run(replica, args=(v,))

    step(v)
    step(v)


@program
def function_in_a_session() -> None:
    tf1 = tf.compat.v1
    with tf.Graph().as_default():
        v = tf1.get_variable("v", initializer=[1.0, 0.0], use_resource=True)

        @tf.function
        def spoil(v: Any) -> tf.Tensor:
            v.assign(tf.math.log(v))  # HERE
            return tf.identity(v)

        @tf.function
        def use(v: Any) -> tf.Tensor:
            return tf.reduce_sum(v) * 2.0

        spoiled, used = spoil(v), use(v)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(used)
            session.run(spoiled)
            session.run(used)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_ruins_it_is_the_only_origin(program: Callable[[], object], tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        program()
    found = why_to_json(tensordbg.open(recording.path).why())["origins"]
    assert [origin["cause"] for origin in found if origin["cause"] == "bad_variable"] == []
    (origin,) = found
    lines, first = inspect.getsourcelines(program)
    assert origin["source"]["line"] == first + next(k for k, line in enumerate(lines) if "# HERE" in line)
    assert "variable" in origin["reaches"]


def test_a_variable_made_before_the_recording_bears_its_name(tmp_path: Path) -> None:
    broken = tf.Variable([float("nan")], name="made_earlier")
    with tensordbg.record(tmp_path) as recording:
        tf.function(lambda v: v + 1.0)(broken)
    (origin,) = tensordbg.open(recording.path).why().origins
    assert origin.cause == "bad_variable"
    assert origin.explanation.startswith("The variable made_earlier held")
