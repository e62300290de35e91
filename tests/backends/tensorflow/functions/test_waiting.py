"""Operations wait for the probes of what they take in, and compute and record the same as without."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions import waiting
from tests.backends.tensorflow.checked import checking
from tests.backends.tensorflow.recorded import record


def definition_of(program: Any, *arguments: Any) -> Any:
    function = tf.function(program).get_concrete_function(*arguments)
    definition = type(function.function_def)()
    definition.CopyFrom(function.function_def)
    return definition


def points_of(definition: Any) -> list[fd.ProbePoint]:
    """A probe for every tensor."""
    nodes = enumerate(definition.node_def)
    return [
        fd.ProbePoint(output.tensor, output.dtype, number, output.slot, False, node.device)
        for number, node in nodes
        for output in fd.outputs(node)
    ]


def test_an_operation_waits_for_the_probe_of_each_tensor_that_it_takes() -> None:
    definition = definition_of(lambda x: tf.sin(tf.cos(x)) * tf.cos(x) + 1.0, tf.TensorSpec([2]))
    fd.add_probes(definition, points_of(definition))
    waiting.wait_for_probes(definition)
    place = {node.name: number for number, node in enumerate(definition.node_def)}
    waits = {node.op: [name for name in node.input if name.startswith("^")] for node in definition.node_def}
    assert waits["Cos"] == []
    assert waits["Mul"] == [f"^tdbg_probe/{place['Sin']}_0", f"^tdbg_probe/{place['Cos_1']}_0"]
    # A constant has been there all the time.
    assert waits["AddV2"] == [f"^tdbg_probe/{place['mul']}_0"]


def test_what_asks_a_list_for_an_element_waits_for_the_probes_of_arguments_too() -> None:
    def program(numbers: tf.Tensor, place: tf.Tensor) -> tf.Tensor:
        return tf.raw_ops.TensorListGetItem(
            input_handle=tf.raw_ops.TensorListFromTensor(tensor=numbers, element_shape=tf.zeros([0], tf.int32)),
            index=place, element_shape=tf.zeros([0], tf.int32), element_dtype=tf.float32,
        )  # fmt: skip

    definition = definition_of(program, tf.TensorSpec([3], name="numbers"), tf.TensorSpec([], tf.int32, name="place"))
    fd.add_probes(definition, [fd.ProbePoint("place", tf.int32.as_datatype_enum, 8, 0, True, "")])
    waiting.elements_wait_for_probes(definition)
    waits = {node.op: [name for name in node.input if name.startswith("^")] for node in definition.node_def}
    assert waits["TensorListGetItem"] == ["^tdbg_probe/8_0"]
    assert waits["TensorListFromTensor"] == []


def test_nothing_waits_across_devices_or_where_a_probe_may_never_run() -> None:
    definition = definition_of(lambda x: tf.sin(tf.cos(x)) * 2.0, tf.TensorSpec([2]))
    points = points_of(definition)
    for node in definition.node_def:
        if node.op == "Sin":
            node.device = "/job:worker/task:1"
        if node.op == "Mul":
            node.op = "Merge"
    fd.add_probes(definition, points)
    waiting.wait_for_probes(definition)
    waits = {node.op: [name for name in node.input if name.startswith("^")] for node in definition.node_def}
    assert (waits["Sin"], waits["Merge"]) == ([], [])


def test_a_node_waits_once() -> None:
    definition = definition_of(tf.sin, tf.TensorSpec([2]))
    node = definition.node_def[0]
    waiting.wait_for(node, ["a", "a"])
    waiting.wait_for(node, ["a", "b"])
    assert [name for name in node.input if name.startswith("^")] == ["^a", "^b"]


def test_where_processors_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    function: Any = SimpleNamespace(is_part=False, is_loop_body=False)
    body: Any = SimpleNamespace(is_part=True, is_loop_body=True)
    branch: Any = SimpleNamespace(is_part=True, is_loop_body=False)
    for count, expected in ((1, True), (waiting.FEW_PROCESSORS, True), (waiting.FEW_PROCESSORS + 1, False)):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _, count=count: set(range(count)), raising=False)
        assert waiting.looks_first(function) is expected
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert not waiting.looks_first(function)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert waiting.looks_first(body)
    assert not waiting.looks_first(branch)


def test_the_same_is_recorded_and_computed_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)

    def run(first: bool) -> tuple[list[Any], list[str]]:
        monkeypatch.setattr(waiting, "FEW_PROCESSORS", 10**6 if first else 0)
        variable = tf.Variable(tf.ones([7]))
        results: list[Any] = []

        @tf.function
        def program(x: tf.Tensor) -> tf.Tensor:
            total = tf.zeros(())
            for row in x:
                total += tf.reduce_sum(tf.nn.softmax(row * variable)) if total < 2.0 else tf.norm(row)
                variable.assign_sub(0.1 * tf.reshape(row, [7]))
            return total / 0.0

        recorded = record(tmp_path / str(first), lambda: results.append(program(x).numpy()))
        return results, sorted(
            str((event.name, event.slot, event.iteration, event.shape, event.row["sum"], event.row["pos_inf"]))
            for event in recorded.events
        )

    assert run(True) == run(False)


WATCHED = {"recorded": tensordbg.record, "checked": lambda _: checking()}


@pytest.mark.parametrize("how", WATCHED)
def test_operations_that_are_merged_for_their_common_input_still_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    # The runtime merges the gradients of kernel and bias after the optimizations that are switched off here.
    monkeypatch.setattr(waiting, "FEW_PROCESSORS", 10**6)
    image = tf.constant(np.random.default_rng(1).normal(size=(2, 8, 8, 1)).astype(np.float32))
    kernel, bias = tf.Variable(tf.ones([3, 3, 1, 2]) / 7.0), tf.Variable([0.1, 0.3])

    def gradients() -> list[tf.Tensor]:
        with tf.GradientTape() as tape:
            seen = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(image, kernel, 1, "VALID"), bias))
            loss = tf.reduce_mean(seen**2)
        return list(tape.gradient(loss, [kernel, bias]))

    def run() -> list[bytes]:
        return [each.numpy().tobytes() for each in tf.function(lambda: gradients())()]

    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    try:
        plain = run()
        with WATCHED[how](tmp_path / "trace"):
            watched = run()
    finally:
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
    assert watched == plain
