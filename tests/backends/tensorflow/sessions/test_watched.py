"""Runs of sessions are recorded, whatever starts them, and nothing of ours is seen by the program."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import config_pb2

from tensordbg.backends.tensorflow.sessions import recording as sessions_recording
from tests.backends.tensorflow.recorded import Recorded, record

v1 = tf.compat.v1


def in_graph(program: Callable[[v1.Session], object]) -> Callable[[], object]:
    """Runs a program in a graph and a session of its own."""

    def run() -> object:
        with tf.Graph().as_default(), v1.Session() as session:
            return program(session)

    return run


def runs(recorded: Recorded) -> list[str]:
    """The names of the runs, in order."""
    return [recorded.functions[row["function"]].name for row in recorded.executions if row["function"] >= 0]


def test_a_run_is_an_execution_of_what_it_fetches(tmp_path: Path) -> None:
    def program(session: v1.Session) -> None:
        x = v1.placeholder(tf.float32, [None], name="x")
        y = tf.exp(x, name="y")
        z = tf.sqrt(y, name="z")
        for number in range(3):
            session.run(y, {x: [float(number)]})
        session.run([y, z], {x: [3.0, 4.0]})
        session.run([z, y.op], {x: [4.0]})
        session.run([z, y], {x: [4.0, 2.0]})

    recorded = record(tmp_path, in_graph(program))
    assert runs(recorded) == ["Session.run(y)"] * 3 + ["Session.run(y, z)", "Session.run(z, y)", "Session.run(y, z)"]
    assert [row["step"] for row in recorded.executions] == [0, 1, 2, 0, 0, 1]
    assert [event.row["max"] for event in recorded.of("y")] == [
        pytest.approx(float(np.exp(np.float32(number)))) for number in (0, 1, 2, 4, 4, 4)
    ]
    fed = [(event.execution, event.shape) for event in recorded.of("x")]
    assert fed == [(1, "[1]"), (2, "[1]"), (3, "[1]"), (4, "[2]"), (5, "[1]"), (6, "[2]")]
    function = recorded.functions[recorded.executions[0]["function"]]
    assert (function.signature, len(function.arguments), len(function.outputs)) == ("(float32[?])", 1, 1)
    assert [frame.function for frame in recorded.user_frames(recorded.of("z")[0])][-1] == "program"


def test_what_no_fetch_needs_is_not_run(tmp_path: Path) -> None:
    def program(session: v1.Session) -> None:
        tf.math.log(tf.constant(-1.0), name="unused")
        session.run(tf.sqrt(tf.constant(4.0), name="used"))

    recorded = record(tmp_path, in_graph(program))
    assert recorded.of("unused") == []
    assert "unused" not in {site.name for site in recorded.sites.values()}


def test_a_variable_by_reference_is_seen_before_and_after_an_update(tmp_path: Path) -> None:
    def program(session: v1.Session) -> None:
        v = v1.get_variable("v", [2], initializer=v1.zeros_initializer(), use_resource=False)
        update = v1.assign_add(v, [1.0, 2.0], name="update")
        session.run(v.initializer)
        session.run(update)
        session.run(update)

    recorded = record(tmp_path, in_graph(program))
    assert [event.row["max"] for event in recorded.of("v")] == [0.0, 2.0]
    assert [event.row["max"] for event in recorded.of("update")] == [2.0, 4.0]
    (variable,) = recorded.variables.values()
    assert (variable.name, variable.dtype, variable.shape, variable.trainable) == ("v", "float32", "[2]", True)
    update = recorded.site_of(recorded.of("update")[0])
    assert (update.writes, recorded.site_of(recorded.of("v")[0]).reads) == ((variable.variable,), (variable.variable,))


def test_a_tensor_that_shares_a_variables_memory_sees_an_update(tmp_path: Path) -> None:
    def program(session: v1.Session) -> object:
        v = v1.get_variable("v", [2], initializer=v1.zeros_initializer(), use_resource=False)
        before = tf.reshape(v, [2, 1])
        with tf.control_dependencies([before]):
            update = v1.assign_add(v, [1.0, 1.0])
        with tf.control_dependencies([update]):
            seen = before + 0.0
        session.run(v.initializer)
        return session.run(seen).tolist()

    seen: list[object] = []
    record(tmp_path, lambda: seen.append(in_graph(program)()))
    assert seen == [in_graph(program)()] == [[[1.0], [1.0]]]


def test_each_session_has_its_own_variables(tmp_path: Path) -> None:
    def program() -> None:
        with tf.Graph().as_default():
            v = v1.get_variable("v", [], initializer=v1.zeros_initializer())
            bump = v.assign_add(1.0)
            with v1.Session() as one, v1.Session() as other:
                for session in (one, other, one):
                    session.run(v.initializer)
                    session.run(bump)

    recorded = record(tmp_path, program)
    assert [variable.name for variable in recorded.variables.values()] == ["v", "v"]


def test_a_session_made_before_and_a_graph_that_grows(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [], name="x")
        first = tf.sqrt(x, name="first")
        session.run(first, {x: 4.0})

        def program() -> None:
            session.run(first, {x: 4.0})
            session.run(tf.add(first, first, name="second"), {x: 4.0})

        recorded = record(tmp_path, program)
        again = record(tmp_path / "again", lambda: session.run(first, {x: 4.0}))
    assert [event.execution for event in recorded.of("first")] == [1, 2]
    assert recorded.one("second").row["max"] == 4.0
    assert again.one("first").row["max"] == 2.0


def test_all_ways_to_run(tmp_path: Path) -> None:
    def program(session: v1.Session) -> None:
        x = v1.placeholder_with_default(1.0, [], name="x")
        y = tf.exp(x, name="y")
        session.make_callable(y)()
        session.make_callable(y, [x])(2.0)
        session.make_callable([y, y.op], accept_options=True)(options=v1.RunOptions(), run_metadata=v1.RunMetadata())
        with session.as_default():
            y.eval({x: 3.0})
            y.op.run()

    recorded = record(tmp_path, in_graph(program))
    assert [round(float(np.log(event.row["max"]))) for event in recorded.of("y")] == [1, 2, 1, 3, 1]


def test_runs_in_many_threads_are_told_apart(tmp_path: Path) -> None:
    def program(session: v1.Session) -> None:
        x = v1.placeholder(tf.float32, [], name="x")
        results = [tf.square(x + number, name=f"y{number}") for number in range(4)]

        def run(number: int) -> None:
            for turn in range(20):
                session.run(results[number], {x: float(turn)})

        threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    recorded = record(tmp_path, in_graph(program))
    for number in range(4):
        events = sorted(recorded.of(f"y{number}"), key=lambda event: event.step)
        assert [event.row["max"] for event in events] == [(turn + number) ** 2 for turn in range(20)]


def test_functions_and_sessions_in_one_program(tmp_path: Path) -> None:
    @tf.function
    def function(x: tf.Tensor) -> tf.Tensor:
        return tf.exp(x, name="outside")

    def program() -> None:
        with tf.Graph().as_default() as graph:
            x = v1.placeholder(tf.float32, [], name="x")
            y = tf.sqrt(x, name="inside")
        session = v1.Session(graph=graph)
        for number in range(5):
            function(tf.constant(float(number)))
            session.run(y, {x: float(number)})

    recorded = record(tmp_path, program)
    assert [event.step for event in recorded.of("inside")] == list(range(5))
    assert [event.step for event in recorded.of("outside")] == list(range(5))
    assert {name for name in runs(recorded) if name.startswith("Session")} == {"Session.run(inside)"}


def test_a_failed_run_raises_as_without_us(tmp_path: Path) -> None:
    def program(session: v1.Session) -> list[str]:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        y = tf.matmul(x, x, name="y")
        with pytest.raises(tf.errors.InvalidArgumentError) as plain:
            session.run(tf.sqrt(y), {x: np.ones([3, 2])})
        assert plain.value.op.name == "y"
        return [line for line in str(plain.value.message).splitlines() if not line.strip().startswith("File")]

    messages: list[object] = []
    recorded = record(tmp_path, lambda: messages.append(in_graph(program)()))
    assert messages == [in_graph(program)()]
    assert [row["failed"] for row in recorded.executions] == [True]


def test_an_uninitialised_variable_is_no_fault_of_ours(tmp_path: Path) -> None:
    def program(session: v1.Session) -> None:
        v = v1.get_variable("v", [2], initializer=v1.ones_initializer(), use_resource=False)
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
            session.run(v + 1.0)
        assert session.run(v1.is_variable_initialized(v)) == np.False_
        session.run(v.initializer)

    recorded = record(tmp_path, in_graph(program))
    assert recorded.of("v") == []
    assert recorded.one("v/Assign").row["size"] == 2


def test_the_graph_is_left_as_it_is(tmp_path: Path) -> None:
    def program(session: v1.Session) -> tuple[object, ...]:
        v = v1.get_variable("v", [2], use_resource=False)
        train = v1.train.AdamOptimizer().minimize(tf.reduce_sum(tf.exp(v)))
        initial = v1.global_variables_initializer()
        graph = session.graph
        graph.finalize()
        before = graph.as_graph_def().SerializeToString(deterministic=True)
        session.run(initial)
        session.run(train)
        assert graph.as_graph_def().SerializeToString(deterministic=True) == before
        return before, graph.version, [operation.name for operation in graph.get_operations()]

    seen: list[object] = []
    record(tmp_path, lambda: seen.append(in_graph(program)()))
    assert seen == [in_graph(program)()]


def test_what_cannot_be_recorded_is_said_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def program(session: v1.Session) -> None:
        x = v1.placeholder(tf.float32, [])
        y = tf.exp(x)
        handle = session.partial_run_setup([y], [x])
        assert session.partial_run(handle, y, {x: 0.0}) == 1.0
        options = config_pb2.CallableOptions(fetch=[y.name], feed=[x.name])
        assert session._make_callable_from_options(options)(np.float32(0.0)) == [1.0]

    recorded = record(tmp_path, in_graph(program))
    assert recorded.executions == []
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "tdbg: warning: what a session runs by partial_run can't be recorded; its other runs are",
        "tdbg: warning: what a session runs by _make_callable_from_options can't be recorded; its other runs are",
    ]


def test_a_session_in_another_process_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = v1.train.Server.create_local_server()

    def program() -> None:
        with tf.Graph().as_default(), v1.Session(server.target) as session:
            assert session.run(tf.sqrt(4.0)) == 2.0

    recorded = record(tmp_path, program)
    assert recorded.executions == []
    assert (
        f"tdbg: warning: a session is not recorded: it runs on the server at {server.target!r}, not here"
        in capsys.readouterr().err
    )


def test_a_run_that_cannot_be_watched_goes_on_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # As on a device for which there is no such operation.
    monkeypatch.setattr(sessions_recording, "WATCH_OP", "TensordbgWatchOfNothing")

    def program(session: v1.Session) -> None:
        v = v1.get_variable("v", [], initializer=v1.zeros_initializer(), use_resource=False)
        bump = v1.assign_add(v, 1.0)
        session.run(v.initializer)
        assert [session.run(bump) for _ in range(3)] == [1.0, 2.0, 3.0]

    recorded = record(tmp_path, in_graph(program))
    assert recorded.events == []
    assert [row["failed"] for row in recorded.executions] == [False]
    assert "a session is not recorded: TensorFlow can't watch what runs on its devices" in capsys.readouterr().err


def test_tensorflows_own_debugger_goes_on_working(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tensorflow.python import debug as tf_debug  # what a program imports that uses it

    values = np.float32([[1.0, 2.0], [3.0, 4.0]])

    def program(session: v1.Session) -> None:
        x = v1.placeholder(tf.float32, [2, 2], name="x")
        y = tf.sqrt(x, name="y")
        z = tf.exp(y, name="z")
        wrapped = tf_debug.DumpingDebugWrapperSession(session, str(tmp_path / "dumps"))
        assert np.allclose(wrapped.run(z, {x: values}), np.exp(np.sqrt(values)))

    (tmp_path / "dumps").mkdir()
    record(tmp_path / "trace", in_graph(program))
    (folder,) = (tmp_path / "dumps").iterdir()
    dump = tf_debug.DebugDumpDir(str(folder))
    assert np.array_equal(dump.get_tensors("y", 0, "DebugIdentity")[0], np.sqrt(values))
    assert "debug_options, is not recorded" in capsys.readouterr().err
