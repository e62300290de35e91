"""Eager operations are recorded with where their inputs came from, in every thread."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.backends.tensorflow.recorded import Event, Recorded, record
from tests.called import functions_called


def producers(recorded: Recorded, event: Event) -> list[Event | None]:
    """The events of an eager operation's inputs."""
    found: list[Event | None] = []
    for reference in recorded.executions[event.execution - 1]["inputs"]:
        made = [e for e in recorded.events if (e.execution, e.slot) == (reference >> 16, reference & 0xFFFF)]
        found.append(made[0] if reference >= 0 and made else None)
    return found


def test_inputs_lead_to_what_made_them(tmp_path: Path) -> None:
    def program() -> None:
        x = tf.constant([4.0, 0.0])
        y = tf.sqrt(x)
        tf.divide(1.0, y)

    recorded = record(tmp_path, program)
    divided = recorded.one("RealDiv")
    one, root = producers(recorded, divided)
    assert divided.row["pos_inf"] == 1
    assert one is not None
    assert (one.name in {"Input", "1.0"}, one.row["min"]) == (True, 1.0)
    assert root is not None
    assert (root.name, root.row["zero"]) == ("Sqrt", 1)
    (source,) = producers(recorded, root)
    assert source is not None
    assert (source.name, source.shape) == ("x", "[2]")
    assert recorded.user_frames(divided)[-1].function == "program"


def test_a_tensor_from_outside_is_recorded_once(tmp_path: Path) -> None:
    def program() -> None:
        x = tf.constant([4.0, 0.0])
        tf.sqrt(x)
        tf.exp(x)

    recorded = record(tmp_path, program)
    assert len(recorded.of("x")) == 1


def test_lists_and_several_outputs(tmp_path: Path) -> None:
    def program() -> None:
        parts = tf.split(tf.constant([1.0, 2.0, 3.0, 4.0]), 2)
        tf.concat([parts[1], parts[0]], 0)

    recorded = record(tmp_path, program)
    assert [(event.slot, event.row["max"]) for event in recorded.of("Split")] == [(0, 2.0), (1, 4.0)]
    second, first, axis = producers(recorded, recorded.one("ConcatV2"))
    assert [event and (event.name, event.slot) for event in (second, first)] == [("Split", 1), ("Split", 0)]
    assert axis is not None
    assert (axis.name, axis.row["max"]) == ("0", 0)


def test_plain_numbers_are_inputs_too(tmp_path: Path) -> None:
    recorded = record(tmp_path, lambda: tf.raw_ops.RealDiv(x=1.0, y=0.0))
    numerator, denominator = producers(recorded, recorded.one("RealDiv"))
    assert numerator is not None
    assert denominator is not None
    assert (numerator.row["min"], denominator.row["zero"]) == (1.0, 1)


def test_a_variable_given_as_input_is_read(tmp_path: Path) -> None:
    weight = tf.Variable([4.0, 0.0], name="weight")

    def program() -> None:
        tf.sqrt(weight)
        weight.assign_sub([1.0, 1.0])
        tf.math.log(weight)

    recorded = record(tmp_path, program)
    for name in ("Sqrt", "Log"):
        (read,) = producers(recorded, recorded.one(name))
        assert read is not None
        assert read.name == "ReadVariableOp"
        assert [recorded.variables[number].name for number in recorded.site_of(read).reads] == ["weight"]
    writer = next(site for site in recorded.sites.values() if site.op_type == "AssignSubVariableOp")
    assert [recorded.variables[number].name for number in writer.writes] == ["weight"]


def test_reading_a_variable_for_the_trace_leaves_gradients_alone(tmp_path: Path) -> None:
    weight = tf.Variable([4.0, 9.0])
    gradients = []

    def program() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(weight))
        gradients.append(tape.gradient(loss, weight))

    record(tmp_path, program)
    np.testing.assert_allclose(gradients[0], [0.25, 1 / 6], rtol=1e-6)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float64", "complex64", "int8", "uint64", "bool"])
def test_every_dtype(tmp_path: Path, dtype: str) -> None:
    recorded = record(tmp_path, lambda: tf.reverse(tf.cast([0, 1, 1], dtype), [0]))
    event = recorded.one("ReverseV2")
    assert (event.dtype, event.row["zero"], event.row["positive"], event.row["size"]) == (dtype, 1, 2, 3)


def test_all_threads_are_seen(tmp_path: Path) -> None:
    def program() -> None:
        threads = [threading.Thread(target=lambda: [tf.sin(float(i)) for i in range(50)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    recorded = record(tmp_path, program)
    sines = recorded.of("Sin")
    assert len(sines) == 200
    assert len({event.row["thread"] for event in sines}) == 4
    assert all(len(producers(recorded, event)) == 1 for event in sines)


def test_a_function_takes_what_an_eager_operation_made_and_the_other_way_round(tmp_path: Path) -> None:
    @tf.function
    def double(x: tf.Tensor) -> tf.Tensor:
        return x * 2.0

    def program() -> None:
        y = tf.sqrt(tf.constant(16.0))
        tf.math.log(double(y))

    recorded = record(tmp_path, program)
    call = next(row for row in recorded.executions if row["function"] >= 0)
    root = recorded.one("Sqrt")
    assert call["inputs"] == [root.execution << 16]
    assert recorded.executions[recorded.one("Log").execution - 1]["inputs"] == [call["execution"] << 16]


def test_an_operation_that_fails_fails_as_ever(tmp_path: Path) -> None:
    def program() -> None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="Matrix size-incompatible"):
            tf.linalg.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
        tf.sin(1.0)

    recorded = record(tmp_path, program)
    assert recorded.of("MatMul") == []
    assert len(recorded.of("Sin")) == 1


def test_a_fault_of_ours_ends_the_recording_and_not_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tensordbg.backends.tensorflow.eager.recording import Eager

    def fail(*args: object) -> None:
        raise ZeroDivisionError("a fault of ours")

    results = []

    def program() -> None:
        results.append(tf.sin(0.0))
        monkeypatch.setattr(Eager, "_operation", fail)
        results.extend([tf.cos(0.0), tf.exp(0.0)])

    recorded = record(tmp_path, program)
    assert [float(value) for value in results] == [0.0, 1.0, 1.0]
    assert [event.name for event in recorded.events if event.name != "0.0"] == ["Sin"]
    assert capsys.readouterr().err.count("recording stopped: recording Cos failed with ZeroDivisionError") == 1


def test_the_hooks_are_taken_out(tmp_path: Path) -> None:
    from tensorflow.python import pywrap_tfe

    before = (pywrap_tfe.TFE_Py_FastPathExecute, pywrap_tfe.TFE_Py_Execute, pywrap_tfe.TFE_Py_ExecuteCancelable)
    record(tmp_path, lambda: tf.sin(1.0))
    after = (pywrap_tfe.TFE_Py_FastPathExecute, pywrap_tfe.TFE_Py_Execute, pywrap_tfe.TFE_Py_ExecuteCancelable)
    assert before == after


def test_a_call_that_is_left_out_costs_the_same_whatever_it_is_given(tmp_path: Path) -> None:
    package = str(Path(tensordbg.__file__).parent)
    variables = [tf.Variable(float(i)) for i in range(30)]
    few = tf.function(lambda: tf.constant(1.0))
    many = tf.function(lambda *given: tf.add_n([*given, *variables]))
    given = [tf.constant(float(i)) for i in range(30)]
    with tensordbg.record(tmp_path, every=1000):
        for _ in range(3):
            few(), many(*given)
        counts = [functions_called(run, package) for run in (few, lambda: many(*given))]
    assert 0 < counts[0] == counts[1] < 40


def test_most_calls_that_a_budget_leaves_out_cost_next_to_nothing(tmp_path: Path) -> None:
    package = str(Path(tensordbg.__file__).parent)
    step = tf.function(lambda x: tf.sin(x) + 1.0)
    x = tf.constant(1.0)
    with tensordbg.record(tmp_path, overhead=0.0001):
        for _ in range(200):
            step(x)
        counts = sorted(functions_called(lambda: step(x), package) for _ in range(40))
    assert 0 < counts[len(counts) // 2] < 12
