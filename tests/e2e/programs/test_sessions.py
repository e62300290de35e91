"""Programs of TensorFlow 1: sessions, feeds, both kinds of variables, both kinds of loops, queues, hooks."""

from __future__ import annotations

import contextlib
import linecache
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.backends.tensorflow.checked import checking
from tests.e2e.programs.checking import Program, check, marked_lines

v1 = tf.compat.v1


@contextlib.contextmanager
def first_version(*, resources: bool = True) -> Iterator[None]:
    """A graph as TensorFlow 1 builds it: loops of Enter and Merge, and variables by reference where wanted."""
    with tf.Graph().as_default(), v1.variable_scope("", use_resource=resources):
        v1.set_random_seed(7)
        v1.disable_control_flow_v2()
        try:
            yield
        finally:
            v1.enable_control_flow_v2()


def regression(loss: tf.Tensor, train: tf.Operation) -> list[np.float32]:
    """The losses of 25 steps, whose learning rate is far too high."""
    inputs = np.random.RandomState(0).randn(20, 3).astype(np.float32)
    wanted = inputs @ np.float32([[1.0], [2.0], [3.0]])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        return [session.run([loss, train], {"x:0": inputs, "y:0": wanted})[0] for _ in range(25)]


def variables_by_reference() -> object:
    with first_version(resources=False):
        x, y = v1.placeholder(tf.float32, [None, 3], name="x"), v1.placeholder(tf.float32, [None, 1], name="y")
        error = tf.matmul(x, v1.get_variable("weight", [3, 1])) - y
        loss = tf.reduce_mean(tf.square(error))  # HERE
        return regression(loss, v1.train.GradientDescentOptimizer(30.0).minimize(loss))


def variables_by_resource() -> object:
    with first_version():
        x, y = v1.placeholder(tf.float32, [None, 3], name="x"), v1.placeholder(tf.float32, [None, 1], name="y")
        error = tf.matmul(x, v1.get_variable("weight", [3, 1])) - y
        loss = tf.reduce_mean(tf.square(error))  # HERE
        return regression(loss, v1.train.MomentumOptimizer(30.0, 0.5).minimize(loss))


def zero_in_a_batch() -> object:
    with first_version(), v1.Session() as session:
        p = v1.placeholder(tf.float32, [None, 2], name="p")
        loss = tf.reduce_sum(tf.math.log(p), name="loss")  # HERE
        return session.run(loss, {p: [[0.5, 0.5], [1.0, 0.25], [1.0, 0.0]]})


def loop_of_the_first_version() -> object:
    with first_version(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [3])

        def body(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, tf.math.log(y)  # HERE

        _, y = tf.while_loop(lambda i, y: i < 4, body, [0, x])
        last = tf.cond(y[0] > 0.0, lambda: tf.sqrt(y), lambda: y * 2.0)
        return session.run([last, *v1.gradients(y, x)], {x: [20.0, 2.0, 3.0]})


def loop_of_the_second_version() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [3])

        def body(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            return i + 1, tf.math.log(y)  # HERE

        _, y = tf.while_loop(lambda i, y: i < 4, body, [0, x])
        last = tf.cond(y[0] > 0.0, lambda: tf.sqrt(y), lambda: y * 2.0)
        return session.run([last, *v1.gradients(y, x)], {x: [20.0, 2.0, 3.0]})


def loop_in_a_loop() -> object:
    with first_version(resources=False), v1.Session() as session:
        scale = v1.get_variable("scale", [2], initializer=v1.ones_initializer())

        def outer(i: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
            inner = tf.while_loop(lambda j, z: j < 2, lambda j, z: (j + 1, z / (z - 2.0)), [0, y])  # HERE
            return i + 1, inner[1] * scale

        _, y = tf.while_loop(lambda i, y: i < 3, outer, [0, tf.constant([3.0, 4.0])])
        session.run(v1.global_variables_initializer())
        return session.run(y)


def function_in_a_graph() -> object:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.sqrt(x))  # HERE

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        return session.run(inner(x * 2.0), {x: [1.0, -1.0]})


def fetched_function() -> object:
    @tf.function
    def function(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)  # HERE

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        return session.run(function(x), {x: [1.0, 0.0]})


def fetched_function_with_branches_and_loops() -> object:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(x)  # HERE

    @tf.function
    def outer(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        turns = 0
        while tf.reduce_max(x) > 1.0:
            if turns > 1:
                x = inner(x - 6.5)
            else:
                x -= 1.0
            turns += 1
        return x, turns

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        results = outer(x)
        return [session.run(results, {x: [9.0, 8.0]}), session.run(results, {x: [10.0, 9.0]})]


def fetched_gradient_of_a_function() -> object:
    @tf.function
    def norm(x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(tf.reduce_sum(x * x))

    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        (slope,) = v1.gradients(norm(x), x)  # HERE
        return session.run(slope, {x: [0.0, 0.0]})


def fetched_function_that_writes() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        total = v1.get_variable("total", [], initializer=v1.ones_initializer(), use_resource=True)

        @tf.function
        def halve() -> tf.Tensor:
            total.assign(total * 0.0)
            return 1.0 / total  # HERE

        halved = halve()
        session.run(v1.global_variables_initializer())
        return [session.run(halved), session.run(total)]


def wrapped_function() -> object:
    def build(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x > 0.0, lambda: x, lambda: tf.sqrt(x))  # HERE

    wrapped = v1.wrap_function(build, [tf.TensorSpec([], tf.float32)])
    return [wrapped(tf.constant(value)) for value in (4.0, -4.0)]


def queue_filled_by_threads() -> object:
    with first_version(), v1.Session() as session:
        queue = v1.FIFOQueue(4, [tf.float32], shapes=[[2]])
        numbers = v1.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        row = tf.stack([tf.cast(numbers, tf.float32), 1.0])
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [queue.enqueue(row)]))
        batch = queue.dequeue_many(3)
        inverse = 1.0 / batch  # HERE
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        results = [session.run(inverse) for _ in range(2)]
        coordinator.request_stop()
        coordinator.join(threads)
        return results


def monitored_with_hooks() -> object:
    losses = []

    class Keeper(v1.train.SessionRunHook):  # type: ignore[misc]
        def before_run(self, run_context: object) -> object:
            return v1.train.SessionRunArgs("loss:0")

        def after_run(self, run_context: object, run_values: tf.compat.v1.train.SessionRunValues) -> None:
            losses.append(run_values.results)

    with first_version():
        v1.train.get_or_create_global_step()
        x = v1.get_variable("x", [], initializer=v1.constant_initializer(2.0))
        loss = tf.math.log(x, name="loss")  # HERE
        train = v1.train.GradientDescentOptimizer(2.0).minimize(loss, v1.train.get_global_step())
        hooks = [v1.train.StopAtStepHook(last_step=4), Keeper()]
        with v1.train.MonitoredTrainingSession(hooks=hooks) as session:
            while not session.should_stop():
                session.run(train)
    return losses


def fed_in_the_middle() -> object:
    with first_version(), v1.Session() as session:
        x = v1.placeholder_with_default([4.0, 1.0], [2])
        root = tf.sqrt(x)
        result = tf.math.log(root)  # HERE
        return [session.run(result), session.run(result, {root: [0.0, 1.0]}), session.run(result, {x: [1.0, 1.0]})]


def random_numbers_with_graph_seeds() -> object:
    with first_version(), v1.Session() as session:
        drawn = [v1.random_normal([3]), tf.nn.dropout(tf.ones([8]), 0.5), v1.truncated_normal([2], seed=3)]
        return [session.run(drawn) for _ in range(3)]


PROGRAMS = [
    variables_by_reference,
    variables_by_resource,
    zero_in_a_batch,
    loop_of_the_first_version,
    loop_of_the_second_version,
    loop_in_a_loop,
    function_in_a_graph,
    fetched_function,
    fetched_function_with_branches_and_loops,
    fetched_gradient_of_a_function,
    fetched_function_that_writes,
    wrapped_function,
    queue_filled_by_threads,
    monitored_with_hooks,
    fed_in_the_middle,
    random_numbers_with_graph_seeds,
]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program: Program, tmp_path: Path) -> None:
    checked = check(program, tmp_path)
    assert checked.recorded.events


def test_the_fed_row_is_named(tmp_path: Path) -> None:
    checked = check(zero_in_a_batch, tmp_path)
    (origin,) = checked.answer["origins"]
    assert (origin["cause"], origin["tensor"]) == ("log_of_zero", "Log:0")
    assert checked.recorded.one("Log").row["first_bad"] == 5
    assert checked.recorded.one("p").row["zero"] == 1


def test_a_bad_value_is_followed_from_an_update_into_the_next_run(tmp_path: Path) -> None:
    checked = check(monitored_with_hooks, tmp_path)
    first, *others = checked.answer["origins"]
    assert first["cause"] == "log_of_negative"
    assert others == []


FETCHED = [
    fetched_function,
    fetched_function_with_branches_and_loops,
    fetched_gradient_of_a_function,
    fetched_function_that_writes,
]


@pytest.mark.parametrize("program", FETCHED, ids=lambda program: program.__name__)
def test_what_a_fetched_function_computes_is_checked(program: Program) -> None:
    with checking(), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        program()
    (here,) = marked_lines(program)
    assert linecache.getline(__file__, here).split("#")[0].strip() in str(raised.value)


def test_turns_and_branches_of_a_fetched_function_are_told_apart(tmp_path: Path) -> None:
    checked = check(fetched_function_with_branches_and_loops, tmp_path)
    turns = [(event.step, event.iteration) for event in checked.named("Max")]
    assert turns == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3), (1, 4)]
    assert [(event.step, event.iteration) for event in checked.named("Sqrt")] == [(0, 2), (1, 2), (1, 3)]


def test_a_session_that_was_made_before_says_what_it_keeps_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    function = tf.function(tf.math.log)
    with tf.Graph().as_default(), v1.Session() as session:
        log = function(v1.placeholder_with_default([1.0, 0.0], [2]))
        with tensordbg.record(tmp_path):
            session.run(log)
        with tensordbg.record(tmp_path), v1.Session() as later:
            later.run(log)
    assert capsys.readouterr().err.count("PartitionedCall computes inside can't be recorded") == 1
