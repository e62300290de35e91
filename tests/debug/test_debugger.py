"""A program stops before and behind the runs that it was told, and computes what it computes without."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.console.console import Console
from tensordbg.console.language.filters import Filters
from tensordbg.console.pages.page import Place
from tensordbg.console.running import BreakKind, Breakpoint, Go, GoKind, Recorded, StopKind
from tensordbg.trace.reader import open_trace
from tests.debug.told import CONTINUE, EXIT, RUN, STEP, debugged

FILE = __file__


@tf.function
def falling(x: tf.Tensor) -> tf.Tensor:
    return tf.math.log(x, name="Falling") * 2.0


@tf.function
def other(x: tf.Tensor) -> tf.Tensor:
    return tf.exp(x, name="Other")


def go_on(values: list[float]) -> list[float]:
    return [float(falling(tf.constant(value))) for value in values]


def exit_code_of(program: Callable[[], object]) -> object:
    """What `exit` at a stop ends it with."""
    with pytest.raises(SystemExit) as ended:
        program()
    return ended.value.code


def till(text: str, **rest: Any) -> Go:
    return Go(GoKind.RUN, till=Filters().parse(text), **rest)


def breaking(kind: BreakKind, text: str) -> Callable[[Console], Go]:
    def told(console: Console) -> Go:
        assert console.runner is not None
        console.runner.add_breakpoint(Breakpoint(kind, text))
        return CONTINUE

    return told


def names(folder: Path) -> list[str]:
    trace = open_trace(folder)
    sites = trace.sites()
    return [sites[site].name for site in trace.table("tensors", ["site"]).column("site").to_pylist()]


def test_it_stops_before_the_first_run_and_behind_each_that_is_asked_for(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", RUN, RUN, Go(GoKind.RUN, times=2)) as (face, debugger):
        results = go_on([1.0, 2.0, 3.0, 4.0, 5.0])
    assert face.seen == [("before", 1), ("after", 1), ("after", 2), ("after", 4)]
    assert results == [float(tf.math.log(value) * 2.0) for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
    first, second, *_ = face.stops
    assert first.call == "falling(x)"
    assert first.feeds == ("x:0",)
    assert first.place is not None and first.place.file == FILE
    assert first.execution is None and second.execution is not None
    # Of two runs the last is recorded.
    assert sorted(debugger.program.executions) == [1, 2, 4, 5]
    assert names(tmp_path / "trace").count("Falling") == 4


def test_a_run_that_is_not_recorded_is_followed_by_a_stop_before_the_next(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", Go(GoKind.RUN, recorded=None), RUN, EXIT) as (face, debugger):
        assert exit_code_of(lambda: go_on([1.0, 2.0, 3.0])) == 1
    assert face.seen == [("before", 1), ("before", 2), ("after", 2)]
    assert list(debugger.program.executions) == [2]


def test_a_step_ends_before_the_next_call(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", STEP, RUN, STEP, STEP) as (face, _):
        go_on([1.0, 2.0, 3.0, 4.0])
    assert face.seen == [("before", 1), ("before", 2), ("after", 2), ("before", 3), ("before", 4)]


def test_it_goes_on_until_a_tensor_passes_a_filter(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", till("has_inf_or_nan"), till("Falling : min < 0 and not nan")) as (face, _):
        go_on([3.0, 2.0, 0.0, 1.0, 0.5, 0.0])
    assert face.seen == [("before", 1), ("after", 3), ("after", 5)]
    assert [stop.filter for stop in face.stops] == ["", "has_inf_or_nan", "Falling : min < 0 and not nan"]


def test_excluded_nodes_do_not_count_for_the_filter(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", till("non_finite", exclude="Falling|mul|Ident")) as (face, _):
        go_on([1.0, 0.0])
        other(tf.constant(1e6))
    assert face.seen == [("before", 1), ("after", 3)]


def test_a_filter_with_a_number_of_runs_ends_with_them(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", till("non_finite", times=3)) as (face, _):
        go_on([1.0] * 5)
    assert face.seen == [("before", 1), ("after", 3)]


@pytest.mark.parametrize(
    ("kind", "text", "run"),
    [
        (BreakKind.OPERATION, "Other", 3),
        (BreakKind.OPERATION, "Exp", 3),
        (BreakKind.FUNCTION, "oth*", 3),
        (BreakKind.FILTER, "Falling : max > 1", 2),
    ],
)
def test_it_stops_behind_the_run_that_reaches_a_breakpoint(
    tmp_path: Path, kind: BreakKind, text: str, run: int
) -> None:
    with debugged(tmp_path / "trace", breaking(kind, text), EXIT) as (face, _):
        exit_code_of(lambda: (go_on([1.0, 5.0]), other(tf.constant(1.0))))
    assert face.seen == [("before", 1), ("after", run)]
    assert face.stops[-1].reason == f"breakpoint 1 ({kind.value} {text})"


@pytest.mark.parametrize(
    ("text", "stops", "at"),
    [
        (f"test_debugger.py:{other.python_function.__code__.co_firstlineno + 2}", ("before", 3), "Other"),
        (f"{FILE}:{go_on.__code__.co_firstlineno + 1}", ("before", 1), "falling"),
    ],
)
def test_it_stops_before_what_a_line_runs(tmp_path: Path, text: str, stops: tuple[str, int], at: str) -> None:
    with debugged(tmp_path / "trace", breaking(BreakKind.LINE, text), EXIT) as (face, _):
        exit_code_of(lambda: (go_on([1.0, 5.0]), go_on([1.0]) if at == "falling" else other(tf.constant(1.0))))
    assert face.seen[1] == stops
    assert face.stops[1].at is not None and face.stops[1].at.operation == at
    assert face.stops[1].reason == f"breakpoint 1 (line {text})"


def test_until_a_line_that_calls(tmp_path: Path) -> None:
    def call() -> None:
        other(tf.constant(1.0))

    place = Place("test_debugger.py", call.__code__.co_firstlineno + 1)
    with debugged(tmp_path / "trace", Go(GoKind.UNTIL, place=place), RUN) as (face, _):
        go_on([1.0, 2.0])
        call()
        call()
    assert face.seen == [("before", 1), ("after", 3), ("after", 4)]
    assert face.stops[1].reason == f"line test_debugger.py:{place.line}"


def test_an_eager_operation_reaches_a_breakpoint_at_once(tmp_path: Path) -> None:
    seen: list[str] = []

    def compute() -> None:
        for number in range(3):
            seen.append(f"exp {number}")
            tf.exp(1.0)
            tf.sqrt(2.0)

    with debugged(tmp_path / "trace", breaking(BreakKind.OPERATION, "Sqrt"), EXIT) as (face, _):
        falling(tf.constant(1.0))
        exit_code_of(compute)
    assert seen == ["exp 0"]
    assert (face.stops[-1].kind, face.stops[-1].call, face.stops[-1].run) == (StopKind.AFTER, "Sqrt", 1)


def test_a_filter_finds_what_was_computed_eagerly(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", till("non_finite"), EXIT) as (face, _):
        falling(tf.constant(1.0))
        exit_code_of(lambda: [tf.math.log(float(50 - number)) for number in range(100)])
    assert face.stops[-1].filter == "non_finite"


def test_only_what_is_chosen_is_recorded_of_a_run(tmp_path: Path) -> None:
    chosen = Go(GoKind.RUN, recorded=Recorded(op_type="Log"))
    with debugged(tmp_path / "trace", chosen, Go(GoKind.RUN, recorded=Recorded("Fall", dtype="float32")), RUN):
        go_on([1.0, 1.0])
    assert set(names(tmp_path / "trace")) >= {"Falling"}
    assert "mul" not in names(tmp_path / "trace")


def test_what_nothing_stopped_at_is_forgotten(tmp_path: Path) -> None:
    big = tf.ones([256, 256])
    with debugged(tmp_path / "trace", RUN, till("non_finite"), budget=2**24) as (face, debugger):
        for value in [1.0] * 60 + [0.0]:
            falling(big * value)
    runs = list(debugger.program.executions)
    assert face.seen == [("before", 0), ("after", 1), ("after", 61)]
    assert runs[0] == 1 and runs[-1] == 61
    assert 2 < len(runs) < 30
    trace = open_trace(tmp_path / "trace")
    assert trace.facts.overwritten > 0
    executions = trace.table("executions", ["execution"]).column("execution").to_pylist()
    assert set(debugger.program.executions.values()) <= set(executions)
    values = sum(path.stat().st_size for path in (tmp_path / "trace" / "values").iterdir())
    assert values <= 2**24


def test_the_numbers_are_those_without_a_debugger(tmp_path: Path) -> None:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.linalg.matmul(tf.nn.relu(x), x, transpose_b=True)

    given = [tf.constant(np.random.default_rng(n).normal(size=(17, 33)).astype(np.float32)) for n in range(4)]
    plain = [step(each).numpy().tobytes() for each in given]
    with debugged(tmp_path / "trace", RUN, RUN):
        seen = [step(each).numpy().tobytes() for each in given]
    assert seen == plain


def test_a_run_inside_another_does_not_count(tmp_path: Path) -> None:
    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return tf.py_function(lambda y: other(y), [x], tf.float32)

    with debugged(tmp_path / "trace", RUN, RUN) as (face, _):
        outer(tf.constant(1.0))
        outer(tf.constant(1.0))
    assert face.seen == [("before", 1), ("after", 1), ("after", 2)]


def test_a_run_that_raises_is_what_the_console_opens_on_if_nothing_catches_it(tmp_path: Path) -> None:
    @tf.function
    def wrong(x: tf.Tensor, shape: tf.Tensor) -> tf.Tensor:
        return tf.reshape(tf.exp(x), shape, name="wrong_shape")

    with debugged(tmp_path / "trace", CONTINUE) as (face, debugger):
        go_on([1.0])
        for _ in range(2):
            try:
                wrong(tf.ones([3]), tf.constant([2, 2]))
            except tf.errors.InvalidArgumentError as error:
                raised = error
        debugger.failed(raised)
    last = face.stops[-1]
    assert (last.kind, last.run, last.operation) == (StopKind.ERROR, 3, "wrong_shape")
    assert last.exception.startswith("InvalidArgumentError: ")
    assert last.call == "wrong(x, shape)"
    assert last.execution == debugger.program.executions[3]


def test_an_error_outside_of_runs_has_its_line(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", CONTINUE) as (face, debugger):
        go_on([1.0])
        try:
            tf.reshape(tf.ones([3]), [2, 2])
        except tf.errors.InvalidArgumentError as error:
            debugger.failed(error)
    last = face.stops[-1]
    assert (last.kind, last.operation, last.execution) == (StopKind.ERROR, "Reshape", None)
    assert last.place is not None and last.place.file == FILE


def test_a_program_that_has_ended_is_not_stopped_again(tmp_path: Path) -> None:
    with debugged(tmp_path / "trace", CONTINUE) as (face, debugger):
        go_on([1.0])
        debugger.ended()
        go_on([1.0])
    assert face.seen == [("before", 1), ("end", 1)]


def test_a_batch_of_a_keras_model_that_runs_eagerly_is_a_run(tmp_path: Path) -> None:
    import keras

    with debugged(tmp_path / "trace", RUN, Go(GoKind.RUN, times=2), till("non_finite"), EXIT) as (face, _):
        tf.constant(1.0)
        model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(2)], name="small")
        model.compile("sgd", "mse", run_eagerly=True)
        x = np.ones([60, 3], np.float32)
        x[50] = np.nan
        code = exit_code_of(lambda: model.fit(x, np.ones([60, 2]), batch_size=10, verbose=0, shuffle=False))
    assert code == 1
    # First it stops before its first operation.
    assert face.seen == [("before", 0), ("after", 1), ("after", 3), ("after", 6)]
    assert {stop.call for stop in face.stops[1:]} == {"small.train_step()"}
    assert face.stops[-1].filter == "non_finite"
    assert model.make_train_function(force=True) is None and not hasattr(model.train_function, "tells_of_batches")


def test_a_loop_that_runs_eagerly_stops_at_its_gradients(tmp_path: Path) -> None:
    def train() -> None:
        weight = tf.Variable(2.0)
        for step in range(40):
            with tf.GradientTape() as tape:
                loss = tf.math.log(weight * weight - 0.1 * step)
            weight.assign_sub(0.3 * tape.gradient(loss, weight))

    with debugged(tmp_path / "trace", RUN, till("non_finite"), EXIT) as (face, _):
        assert exit_code_of(train) == 1
    assert face.seen[:2] == [("before", 0), ("after", 1)]
    assert (face.stops[-1].call, face.stops[-1].filter) == ("GradientTape.gradient()", "non_finite")
    assert face.stops[0].place is not None and face.stops[0].place.file == FILE


def test_a_program_that_catches_its_end_is_ended_at_the_next_run(tmp_path: Path) -> None:
    caught: list[object] = []

    def train() -> None:
        for _ in range(2):
            try:
                go_on([1.0])
            except SystemExit as error:
                caught.append(error.code)
        go_on([1.0])

    with debugged(tmp_path / "trace", EXIT) as (face, debugger):
        assert exit_code_of(train) == 1
        assert exit_code_of(debugger.ended) == 1
    assert caught == [1, 1]
    assert face.seen == [("before", 1)]


def test_a_warning_is_found_by_looking_over_the_runs(tmp_path: Path) -> None:
    weight = tf.Variable(1.0, name="weight")

    @tf.function
    def train(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.square(weight * x, name="loss")
        weight.assign_sub(-3.0 * tape.gradient(loss, weight))
        return loss

    with debugged(tmp_path / "trace", till("warning"), EXIT) as (face, _):
        exit_code_of(lambda: [train(tf.constant(1.0)) for _ in range(30)])
    last = face.stops[-1]
    assert (last.filter, last.run > 2) == ("warning", True)


def test_a_run_that_is_too_large_is_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with debugged(tmp_path / "trace", RUN, RUN, budget=2**18):
        for _ in range(2):
            falling(tf.ones([256, 256]))
    said = "the elements of some tensors were not kept, as a run took more than there is room for"
    assert capsys.readouterr().err.count(said) == 1
