"""What TensorFlow tests of its own `enable_dump_debug_info` holds for ours: the cases that can be carried over."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.model import NONE
from tensordbg.tensorflow import disable_dump_debug_info, enable_dump_debug_info
from tensordbg.trace.locate import list_traces
from tensordbg.trace.reader import TraceReader, open_trace

MODES = ("NO_TENSOR", "CURT_HEALTH", "CONCISE_HEALTH", "FULL_HEALTH", "SHAPE", "FULL_TENSOR")


@pytest.fixture(autouse=True)
def disabled() -> Iterator[None]:
    yield
    disable_dump_debug_info()


def dumped(folder: Path, program: Callable[[], Any], mode: str, **arguments: Any) -> TraceReader:
    """The trace of a program."""
    enable_dump_debug_info(folder, mode, **arguments)
    program()
    disable_dump_debug_info()
    return open_trace(folder)


def rows_of(trace: TraceReader, op_type: str) -> list[dict[str, Any]]:
    """The tensor events of all operations of a type."""
    sites = trace.sites()
    return [row for row in trace.table("tensors").to_pylist() if sites[row["site"]].op_type == op_type]


def values_of(trace: TraceReader, op_type: str) -> list[Any]:
    """Their elements."""
    return [trace.value(row["event"]).tolist() for row in rows_of(trace, op_type)]


@tf.function
def iterative_doubling(x: tf.Tensor, times: tf.Tensor) -> tf.Tensor:
    turn = tf.constant(0)
    while turn < times:
        x = x * 2.0 - 1.0
        turn += 1
    return x


@pytest.mark.parametrize("mode", MODES)
def test_a_loop(tmp_path: Path, mode: str) -> None:
    results: list[float] = []
    trace = dumped(tmp_path, lambda: results.append(iterative_doubling(tf.constant(2.0), tf.constant(4)).numpy()), mode)
    assert results == [17.0]
    multiplied = rows_of(trace, "Mul")
    assert [row["iteration"] for row in multiplied] == [0, 1, 2, 3]
    assert len(rows_of(trace, "Sub")) == 4
    assert {row["slot"] for row in multiplied} == {0}
    if mode == "FULL_TENSOR":
        assert values_of(trace, "Mul") == [4.0, 6.0, 10.0, 18.0]
        assert values_of(trace, "Sub") == [3.0, 5.0, 9.0, 17.0]
    # Multiplication and subtraction belong to one graph, the body; the condition is another one.
    graphs = {site.op_type: site.function for site in trace.sites().values() if site.op_type in {"Mul", "Sub", "Less"}}
    assert graphs["Mul"] == graphs["Sub"] != graphs["Less"]


@pytest.mark.parametrize("mode", MODES)
def test_an_operation_with_two_results(tmp_path: Path, mode: str) -> None:
    def program() -> None:
        for _ in range(2):
            tf.unique(tf.constant([10.0, 12.0, 10.0]))

    trace = dumped(tmp_path, program, mode)
    rows = rows_of(trace, "Unique")
    assert [row["slot"] for row in rows] == [0, 1, 0, 1]
    if mode == "FULL_TENSOR":
        assert values_of(trace, "Unique") == [[10.0, 12.0], [0, 1, 0]] * 2
    if mode == "SHAPE":
        assert [row["shape"] for row in rows] == ["[2]", "[3]"] * 2


def test_health_of_half_precision(tmp_path: Path) -> None:
    def program() -> None:
        x, y = tf.constant([4, 4], tf.float16), tf.constant([1, -4], tf.float16)
        z = tf.constant([4, 4], tf.float16)
        (x + y) / (x - z)

    trace = dumped(tmp_path, program, "FULL_HEALTH")
    (row,) = rows_of(trace, "RealDiv")
    assert (row["dtype"], row["size"], row["pos_inf"], row["nan"], row["neg_inf"]) == ("float16", 2, 1, 1, 0)
    (added,) = rows_of(trace, "AddV2")
    assert (added["positive"], added["zero"]) == (1, 1)


def test_shapes_of_any_dtype_and_rank(tmp_path: Path) -> None:
    def program() -> None:
        tf.logical_and(tf.constant([[True, False]]), True)
        tf.zeros([1, 2, 3, 4, 5, 6, 7, 8]) * 2.0

    trace = dumped(tmp_path, program, "SHAPE")
    assert [(row["dtype"], row["shape"]) for row in rows_of(trace, "LogicalAnd")] == [("bool", "[1, 2]")]
    # TensorFlow's keeps the last six dimensions.
    assert [row["shape"] for row in rows_of(trace, "Mul")] == ["[1, 2, 3, 4, 5, 6, 7, 8]"]


@pytest.mark.parametrize("mode", MODES)
def test_threads_that_call_one_function(tmp_path: Path, mode: str) -> None:
    x, y = tf.Variable(10.0), tf.Variable(3.0)

    @tf.function
    def increase() -> tf.Tensor:
        return x.assign_add(y * 2.0)

    def program() -> None:
        increase()
        threads = [threading.Thread(target=increase) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    trace = dumped(tmp_path, program, mode)
    assert x.numpy() == 34.0
    assert len(rows_of(trace, "Mul")) == 4
    # Theirs has 8 of them: the function of the assignment reads the result too, which nobody asked for.
    assert len(rows_of(trace, "ReadVariableOp")) >= 4
    calls = [row for row in trace.table("executions").to_pylist() if row["function"] != NONE]
    assert sorted(row["step"] for row in calls) == [0, 1, 2, 3]
    # Which of several calls at one time a tensor belongs to is not always known.
    assert {row["execution"] for row in rows_of(trace, "Mul")} <= {row["execution"] for row in calls}
    if mode == "FULL_TENSOR":
        assert values_of(trace, "Mul") == [6.0] * 4


def test_another_thread_may_switch_it_off(tmp_path: Path) -> None:
    enable_dump_debug_info(tmp_path, "FULL_TENSOR")
    tf.sin(1.0)
    thread = threading.Thread(target=disable_dump_debug_info)
    thread.start()
    thread.join()
    tf.cos(1.0)
    assert (len(rows_of(open_trace(tmp_path), "Sin")), len(rows_of(open_trace(tmp_path), "Cos"))) == (1, 0)


def test_functions_in_functions(tmp_path: Path) -> None:
    @tf.function
    def logarithm_of_sum(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x + y)

    @tf.function
    def sine(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        return tf.sin(logarithm_of_sum(x, y))

    trace = dumped(tmp_path, lambda: sine(tf.constant(2.0), tf.constant(3.0)), "FULL_TENSOR")
    assert [values_of(trace, name) for name in ("AddV2", "Log", "Sin")] == [
        pytest.approx([5.0]),
        pytest.approx([np.log(5.0)]),
        pytest.approx([np.sin(np.log(5.0))]),
    ]
    graphs = {site.op_type: site.function for site in trace.sites().values()}
    assert graphs["AddV2"] == graphs["Log"] != graphs["Sin"]


@pytest.mark.parametrize("mode", ["NO_TENSOR", "FULL_TENSOR"])
def test_a_recurrent_keras_model(tmp_path: Path, mode: str) -> None:
    def train() -> list[float]:
        layers = [
            tf.keras.layers.LSTM(3, kernel_initializer="zeros"),
            tf.keras.layers.Dense(1, kernel_initializer="zeros"),
        ]
        model = tf.keras.Sequential([tf.keras.Input([3, 4]), *layers])
        model.compile(loss="mse", optimizer="sgd")
        assert model.predict(np.ones([5, 3, 4]), verbose=0) == pytest.approx(np.zeros([5, 1]))
        losses: list[float] = model.fit(np.ones([5, 3, 4]), np.ones([5, 1]), epochs=3, verbose=0).history["loss"]
        return losses

    losses: list[float] = []
    trace = dumped(tmp_path, lambda: losses.extend(train()), mode, circular_buffer_size=100_000)
    assert losses == pytest.approx(train())
    sites = trace.sites()
    ran = Counter(sites[row].op_type for row in trace.table("tensors", ["site"]).column(0).to_pylist())
    assert {"MatMul", "Sigmoid", "Tanh", "SigmoidGrad", "TanhGrad"} <= set(ran)
    values = trace.table("tensors", ["value_position"]).column(0)
    assert values.null_count == (0 if mode == "FULL_TENSOR" else len(values))


def test_disabled_before_anything_ran(tmp_path: Path) -> None:
    writer = enable_dump_debug_info(tmp_path)
    disable_dump_debug_info()
    tf.unique(tf.constant([10.0, 12.0, 10.0]))
    writer.FlushNonExecutionFiles()
    writer.FlushExecutionFiles()
    (trace,) = [open_trace(path) for path in list_traces(tmp_path)]
    assert (trace.count("executions"), trace.tensor_count) == (0, 0)
