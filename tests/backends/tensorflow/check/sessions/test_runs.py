"""Runs of sessions end at the operation that makes the first bad number, and are else as they were."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

from tensordbg.tensorflow import disable_check_numerics, enable_check_numerics
from tests.backends.tensorflow.checked import Raised, blamed, checking, raised
from tests.backends.tensorflow.recorded import read

v1 = tf.compat.v1


@contextmanager
def session(*, resources: bool = True) -> Iterator[Any]:
    """A session on a graph of its own, with loops as TensorFlow 1 builds them."""
    with tf.Graph().as_default(), v1.variable_scope("", use_resource=resources):
        v1.disable_control_flow_v2()
        try:
            with v1.Session() as found:
                yield found
        finally:
            v1.enable_control_flow_v2()


def said_by(program: Callable[..., object], *args: object) -> Raised:
    said = raised(program, *args)
    assert said is not None
    return said


def test_the_message_tells_all_that_it_tells_elsewhere() -> None:
    with session() as running, checking():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.math.log(x - 1.0, name="y")  # HERE
        said = said_by(running.run, tf.reduce_sum(y), {x: [[2.0, 3.0], [1.0, 0.0]]})
    lines = said.message.splitlines()
    assert lines[:2] == ["", ""]
    assert lines[2] == '!!! Detected Infinity or NaN in output 0 of graph op "Log" (# of outputs: 1) !!!'
    for line in (
        "  dtype: <dtype: 'float32'>",
        "  shape: (2, 2)",
        "  # of -Inf elements: 1",
        "  # of +NaN elements: 1",
        "  First bad element: [1, 0], in row 1 of 2",
        '  Input tensor: Tensor("sub:0", shape=(2, 2), dtype=float32)',
        "            all 4 finite; min -1, max 2; 1 zero; 0.0 at [1, 0]",
        '  Graph name: "Session.run(Sum)"',
        '  Operation name: "y"',
        ' -> |   y = tf.math.log(x - 1.0, name="y")  # HERE',
    ):
        assert line in lines
    assert any(line.startswith("  Source: ") and line.endswith("# HERE") for line in lines)
    assert lines[-1] == " : Tensor had -Inf and NaN values"


def test_a_bad_feed_is_named_by_what_takes_it() -> None:
    with session() as running, checking():
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        kept = tf.where([True, False], x, tf.zeros([2]))
        given = [[2.0, 3.0], [1.0, np.nan]]
        said = said_by(running.run, tf.reduce_sum(x * 2.0), {x: given})
        assert running.run(tf.reduce_sum(kept), {x: [[2.0, 1.0]]}) == 2.0
        assert (said.op_type, said.name) == ("Mul", "mul")
        assert 'Tensor("x:0", shape=(2, 2), dtype=float32), argument "x"' in said.message
        assert "1 NaN of 4; the first at [1, 1], in row 1" in said.message


@pytest.mark.parametrize("resources", [True, False])
def test_variables_stay_as_they_were(resources: bool) -> None:
    with session(resources=resources) as running, checking():
        x = v1.placeholder(tf.float32, [], name="x")
        weight = v1.get_variable("weight", [], initializer=v1.constant_initializer(2.0))
        loss = tf.sqrt(x) * weight
        train = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        running.run(v1.global_variables_initializer())
        running.run(train, {x: 4.0})
        before = running.run(v1.global_variables())
        for _ in range(20):
            said = said_by(running.run, train, {x: -1.0})
            assert said.op_type == "Sqrt"
            assert running.run(v1.global_variables()) == before
        running.run(train, {x: 4.0})


def slot_that_overflows(running: Any, rows: list[int] | None, kept: list[Any]) -> None:
    """The square of a gradient overflows in the last run; the weight is divided by it, and stays finite."""
    weight = v1.get_variable("weight", [2, 1], initializer=v1.ones_initializer())
    given = v1.placeholder(tf.float32, [], name="given")
    gradient = given * tf.ones([2, 1])
    if rows is not None:
        gradient = tf.IndexedSlices(tf.gather(gradient, rows), tf.constant(rows), tf.constant([2, 1]))
    train = v1.train.RMSPropOptimizer(0.01).apply_gradients([(gradient, weight)])  # UPDATE
    running.run(v1.global_variables_initializer())
    running.run(train, {given: 1.0})
    kept.append(lambda: running.run(train, {given: 3e25}))


@pytest.mark.parametrize("resources", [True, False])
@pytest.mark.parametrize("rows", [None, [0]], ids=["all", "rows"])
def test_what_an_optimizer_keeps_is_looked_at_behind_the_run(resources: bool, rows: list[int] | None) -> None:
    kept: list[Any] = []
    with session(resources=resources) as running, checking(path_length_limit=None):
        slot_that_overflows(running, rows, kept)
        said = said_by(kept[0])
    op_type = f"{'Resource' * resources}{'Sparse' * (rows is not None)}ApplyRMSProp"
    assert said.op_type == "ReadVariableOp"
    assert f"of a variable made bad by {op_type}, {Path(__file__).name}:" in said.message.splitlines()[2]
    assert said.name.endswith(f"{op_type}/new_ms")
    assert "# UPDATE" in said.message


def test_what_was_let_pass_may_be_kept() -> None:
    with session() as running:
        weight = v1.get_variable("weight", [], initializer=v1.ones_initializer())
        given = v1.placeholder(tf.float32, [], name="given")
        train = v1.train.RMSPropOptimizer(0.01).apply_gradients([(tf.math.log(given), weight)])
        running.run(v1.global_variables_initializer())
        with checking(allow=[{"op": "Log"}]):
            for number in (1.0, 0.0):
                running.run(train, {given: number})
        (squares,) = [each for each in v1.global_variables() if each.op.name == "weight/RMSProp"]
        assert running.run(squares) == np.inf


def test_a_variable_that_is_bad_already_is_named_where_it_is_read() -> None:
    for resources in (True, False):
        with session(resources=resources) as running:
            weight = v1.get_variable("weight", [2], initializer=v1.zeros_initializer())
            running.run(weight.initializer)
            ruin, fix = v1.assign(weight, [np.inf, 1.0]), v1.assign(weight, [0.0, 1.0])
            product = weight * 2.0
            running.run(ruin.op)
            with checking():
                said = said_by(running.run, product)
                assert said.op_type in {"ReadVariableOp", "Identity"}
                assert 'Variable: "weight" holds it already' in said.message or not resources
                running.run(fix.op)
                assert running.run(product).tolist() == [0.0, 2.0]


def test_both_kinds_of_loops_and_branches() -> None:
    def program(running: Any) -> object:
        x = v1.placeholder(tf.float32, [2], name="x")
        _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, tf.math.log(y)), [0, x])
        z = tf.cond(x[0] > 0.0, lambda: tf.sqrt(y) * 2.0, lambda: y)
        return lambda: running.run(z, {x: [20.0, 2.0]})

    with session() as running, checking():
        assert blamed(program(running), times=5) == {("Log", "while/Log", 2)}  # type: ignore[arg-type]
    with tf.Graph().as_default(), v1.Session() as running, checking():
        assert blamed(program(running), times=5) == {("Log", "Log", 2)}  # type: ignore[arg-type]


@contextmanager
def session_of_version(number: int) -> Iterator[Any]:
    """A session on a graph of its own, with loops and branches of one kind."""
    if number == 1:
        with session() as found:
            yield found
    else:
        with tf.Graph().as_default(), v1.Session() as found:
            yield found


@pytest.mark.parametrize("version", [1, 2])
def test_only_the_branch_that_is_taken_counts(version: int) -> None:
    with session_of_version(version) as running, checking():
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.cond(x > 0.0, lambda: tf.math.log(x), lambda: 1.0 / x)
        assert running.run(y, {x: 1.0}) == 0.0
        assert running.run(y, {x: -1.0}) == -1.0
        assert said_by(running.run, y, {x: 0.0}).op_type == "RealDiv"


def test_a_function_in_a_graph() -> None:
    @tf.function
    def inner(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(a) - b

    with session() as running, checking():
        x = v1.placeholder(tf.float32, [2], name="x")
        said = said_by(running.run, inner(x * 2.0, tf.exp(x)) + 1.0, {x: [1.0, -1.0]})
    assert (said.op_type, said.name) == ("Sqrt", "Sqrt")
    assert 'Graph name: "inner"' in said.message
    assert "all 2 finite; min -2, max 2; -2.0 at [1]" in said.message


def test_allowed_infinities_pass_and_a_nan_made_of_them_does_not() -> None:
    with session() as running:
        x = v1.placeholder(tf.float32, [2], name="x")
        log = tf.math.log(x, name="meant")
        good, bad = tf.exp(tf.reshape(log * 2.0, [-1])), log - tf.stop_gradient(log)
        for rule in ({"op": "Log"}, {"name": "mean*"}, {"line": "test_runs.py"}):
            with checking(allow=[rule]):
                assert all(running.run(good, {x: [0.0, 1.0]}).tolist() == [0.0, 1.0] for _ in range(3))
        with checking(allow=[{"op": "Log"}]):
            assert said_by(running.run, bad, {x: [0.0, 1.0]}).op_type == "Sub"
        with checking(allow=[{"op": "Exp"}]):
            assert said_by(running.run, good, {x: [0.0, 1.0]}).op_type == "Log"


@pytest.mark.parametrize("version", [1, 2])
def test_allowed_infinities_in_loops_pass(version: int) -> None:
    with session_of_version(version) as running, checking(allow=[{"op": "Log"}]):
        x = v1.placeholder(tf.float32, [2], name="x")
        _, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.math.log(x - x) * 2.0), [0, x])
        assert running.run(y * 2.0, {x: [1.0, 2.0]}).tolist() == [-np.inf, -np.inf]


def test_disabling_works_at_once_and_enabling_again_too() -> None:
    with session() as running:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.math.log(x)
        run = v1.Session._call_tf_sessionrun, v1.Session._do_call
        for _ in range(2):
            enable_check_numerics()
            assert raised(running.run, y, {x: 0.0}) is not None
            assert running.run(y, {x: 1.0}) == 0.0
            disable_check_numerics()
            assert running.run(y, {x: 0.0}) == -np.inf
            assert (v1.Session._call_tf_sessionrun, v1.Session._do_call) == run


def test_whatever_starts_a_run() -> None:
    with session() as running, checking():
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.math.log(x)
        given = {x: 0.0}
        call = running.make_callable(y, [x])
        for start in (lambda: call(0.0), lambda: y.eval(given), lambda: y.op.run(given), lambda: running.run(y, given)):
            assert said_by(start).op_type == "Log"


def test_what_cannot_be_checked_is_said_and_runs(capsys: pytest.CaptureFixture[str]) -> None:
    with session() as running, checking():
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.math.log(x)
        handle = running.partial_run_setup([y], [x])
        assert running.partial_run(handle, y, {x: 0.0}) == -np.inf
        options = config_pb2.CallableOptions(fetch=[y.name], feed=[x.name])
        assert running._make_callable_from_options(options)(np.float32(0.0)) == [-np.inf]
        server = v1.train.Server.create_local_server()
        with v1.Session(server.target) as remote:
            assert remote.run(y, {x: 0.0}) == -np.inf
    said = capsys.readouterr().err
    assert "tdbg: warning: what a session runs by partial_run can't be checked; its other runs are\n" in said
    assert f"tdbg: warning: a session is not checked: it runs on the server at {server.target!r}, not here\n" in said


def test_recorded_and_checked_at_once(tmp_path: Path) -> None:
    import tensordbg

    with session() as running:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.math.log(x, name="y")
        for first, second in ((True, False), (False, True)):
            with tensordbg.record(tmp_path) as recording:
                if first:
                    running.run(y, {x: [1.0, 2.0]})
                with checking():
                    assert said_by(running.run, y * 2.0, {x: [0.0, 2.0]}).name == "y"
                if second:
                    running.run(y, {x: [1.0, 2.0]})
            recorded = read(recording.path)
            assert sorted(event.row["neg_inf"] for event in recorded.of("y")) == [0, 1]
            assert [row["failed"] for row in recorded.executions] == ([False, True] if first else [True, False])


def test_monitored_sessions() -> None:
    with tf.Graph().as_default(), checking():
        v1.train.get_or_create_global_step()
        x = v1.get_variable("x", [], initializer=v1.constant_initializer(2.0))
        loss = tf.math.log(x, name="loss")
        train = v1.train.GradientDescentOptimizer(2.0).minimize(loss, v1.train.get_global_step())
        done = 0

        def program() -> None:
            nonlocal done
            with v1.train.MonitoredTrainingSession(hooks=[v1.train.StopAtStepHook(last_step=9)]) as running:
                while not running.should_stop():
                    running.run([train, loss])
                    done += 1

        said = said_by(program)
    # x is 2, 1, -1: there is no loss of a negative number, and its gradient is finite.
    assert (said.op_type, said.name, done) == ("Log", "loss", 2)


def test_runs_in_many_threads() -> None:
    with session() as running, checking():
        x = v1.placeholder(tf.float32, [1000], name="x")
        y = tf.reduce_sum(tf.sqrt(tf.nn.relu(x) + x, name="root") * 2.0)
        found: list[tuple[bool, bool]] = []

        def work(number: int) -> None:
            for turn in range(20):
                bad = (turn + number) % 3 == 0
                said = raised(running.run, y, {x: np.full(1000, -1.0 if bad else 1.0)})
                found.append((bad, said is not None and said.name == "root"))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 80
    assert all(bad == seen for bad, seen in found)


def test_a_run_that_fails_by_itself_raises_as_without_us() -> None:
    with session() as running:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, x, name="y")
        for check in (False, True):
            if check:
                enable_check_numerics()
            try:
                with pytest.raises(tf.errors.InvalidArgumentError) as error:
                    running.run(tf.sqrt(y), {x: np.ones([3, 2])})
            finally:
                disable_check_numerics()
            assert error.value.op.name == "y"


def finite_or_zero(x: tf.Tensor) -> tf.Tensor:
    return tf.where(tf.math.is_inf(x), tf.zeros_like(x), x)


CHOICES = [
    lambda x: tf.where(x > 0, x * tf.math.log(x), tf.zeros_like(x)),
    lambda x: tf.boolean_mask(tf.math.log(x), x > 0),
    lambda x: tf.math.multiply_no_nan(tf.math.log(x), x),
    lambda x: finite_or_zero(1.0 / x),
    lambda x: v1.where(x > 0, tf.sqrt(tf.math.log(x) + 9.0), tf.zeros_like(x)),
    lambda x: tf.function(lambda y: tf.where(y > 0, y * tf.math.log(y), 0.0))(x),
]


@pytest.mark.parametrize("build", CHOICES)
def test_what_a_run_leaves_out_ends_nothing(build: Callable[[tf.Tensor], tf.Tensor]) -> None:
    with tf.Graph().as_default(), v1.Session() as session, checking():
        x = v1.placeholder(tf.float32, [None], name="x")
        loss = tf.reduce_sum(build(x))
        for _ in range(3):
            assert np.isfinite(session.run(loss, {x: [0.5, 0.0, 0.25]}))


@pytest.mark.parametrize(
    ("build", "guilty"),
    [
        (lambda x: tf.where(x >= 0, x * tf.math.log(x), tf.zeros_like(x)), "Log"),
        (lambda x: tf.where(x > -1, tf.exp(200.0 + x) * 2.0 - 1.0, tf.zeros_like(x)), "Exp"),
        (lambda x: tf.function(lambda y: tf.where(y >= 0, y * tf.math.log(y), 0.0))(x), "Log"),
    ],
)
def test_what_a_run_chooses_is_found_where_it_was_made(build: Callable[[tf.Tensor], tf.Tensor], guilty: str) -> None:
    with tf.Graph().as_default(), v1.Session() as session, checking():
        x = v1.placeholder(tf.float32, [None], name="x")
        loss = tf.reduce_sum(build(x))
        said = raised(session.run, loss, {x: [0.5, 0.0, 0.25]})
    assert said is not None
    assert said.op_type == guilty


def test_a_gradient_takes_what_is_left_out() -> None:
    with tf.Graph().as_default(), v1.Session() as session, checking():
        x = v1.placeholder(tf.float32, [None], name="x")
        loss = tf.reduce_sum(tf.where(x > 0, x * tf.math.log(x), tf.zeros_like(x)))
        said = raised(session.run, tf.gradients(loss, x), {x: [0.5, 0.0, 0.25]})
    assert said is not None
    assert said.op_type == "Log"
