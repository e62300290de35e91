"""Graphs of real programs, as TensorFlow makes them ready to run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.trace.graphs.graph_files import GraphStage, kept_graphs, read_graph
from tests.backends.tensorflow.recorded import Recorded, read

BUILT, RUN, RECORDED = GraphStage


def record(folder: Path, program: Callable[[], object]) -> Recorded:
    with tensordbg.record(folder, graphs=True) as recording:
        program()
    return read(recording.path)


def number_of(recorded: Recorded, name: str) -> int:
    # Functions of earlier tests may still be there.
    return max(number for number, each in recorded.functions.items() if each.name == name)


def graph_of(recorded: Recorded, name: str, stage: GraphStage) -> tf.compat.v1.GraphDef:
    message = read_graph(recorded.reader.path, number_of(recorded, name), stage)
    assert message is not None
    return tf.compat.v1.GraphDef.FromString(message)


def types(graph: tf.compat.v1.GraphDef) -> dict[str, str]:
    return {node.name: node.op for node in graph.node}


class Layer(tf.Module):
    """Has what TensorFlow fuses, in a function that calls another."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(tf.ones([4, 3]))
        self.bias = tf.Variable(tf.zeros([3]))
        self.calls = tf.Variable(0)

    @tf.function
    def inner(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(tf.nn.bias_add(tf.matmul(x, self.weight), self.bias))

    @tf.function
    def step(self, x: tf.Tensor) -> tf.Tensor:
        self.calls.assign_add(1)
        return tf.reduce_sum(self.inner(x)) * (tf.constant(2.0) * tf.constant(3.0))


def test_the_graph_without_probes_and_the_recorded_one(tmp_path: Path) -> None:
    layer = Layer()
    results = []
    recorded = record(tmp_path, lambda: results.extend(layer.step(tf.ones([2, 4])).numpy() for _ in range(3)))
    assert results == [144.0] * 3
    assert layer.calls.numpy() == 3, "to make it ready to run is not to run it"
    plain, watched = graph_of(recorded, "step", RUN), graph_of(recorded, "step", RECORDED)
    fused = [node for node in plain.node if "fused_ops" in node.attr]
    assert [(node.name.rpartition("/")[2], list(node.attr["fused_ops"].list.s)) for node in fused] == [
        ("Relu", [b"BiasAdd", b"Relu"])
    ]
    assert not [node for node in watched.node if "fused_ops" in node.attr]
    assert types(plain)["mul"] == types(watched)["mul"] == "Const"
    for graph in (plain, watched):
        assert not any(fd.PROBE_NAME in name or op == fd.PROBE_OP for name, op in types(graph).items())
        assert "tensordbg" not in str(graph).lower()
        assert all(node.device.endswith("CPU:0") for node in graph.node)


def test_the_graph_as_built_is_kept_of_every_function(tmp_path: Path) -> None:
    layer = Layer()
    recorded = record(tmp_path, lambda: layer.step(tf.ones([2, 4])))
    kept = kept_graphs(recorded.reader.path)
    assert kept[number_of(recorded, "step")] == (BUILT, RUN, RECORDED)
    assert kept[number_of(recorded, "inner")] == (BUILT,)
    names = types(graph_of(recorded, "inner", BUILT))
    assert [names[name] for name in ("MatMul", "BiasAdd", "Relu")] == ["MatMul", "BiasAdd", "Relu"]


def test_functions_of_an_earlier_recording(tmp_path: Path) -> None:
    layer = Layer()
    with tensordbg.record(tmp_path / "first"):
        layer.step(tf.ones([2, 4]))
    recorded = record(tmp_path / "second", lambda: layer.step(tf.ones([2, 4])))
    assert kept_graphs(recorded.reader.path)[number_of(recorded, "step")] == (BUILT, RUN, RECORDED)
    assert layer.calls.numpy() == 2


def test_gradients_and_loops(tmp_path: Path) -> None:
    weight = tf.Variable([2.0, 3.0])

    @tf.function
    def looped(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = tf.sin(x) * weight
        return x

    gradients = []

    def program() -> None:
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(looped(tf.ones(2)))
        gradients.append(tape.gradient(value, weight).numpy())

    program()
    recorded = record(tmp_path, lambda: (program(), program()))
    np.testing.assert_array_equal(gradients[1], gradients[0])
    np.testing.assert_array_equal(gradients[2], gradients[0])
    whole = [number for number, stages in kept_graphs(recorded.reader.path).items() if RUN in stages]
    assert len(whole) == 2, "the forward pass and the backward pass"


def test_what_xla_compiles_is_not_compiled(tmp_path: Path) -> None:
    ran = []

    @tf.function(jit_compile=True)
    def compiled(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x) * 2.0

    recorded = record(tmp_path, lambda: ran.append(compiled(tf.ones(2)).numpy()))
    assert "Sin" in types(graph_of(recorded, "compiled", RUN)).values()
    np.testing.assert_allclose(ran[0], np.sin(np.ones(2)) * 2, rtol=1e-6)


def test_a_program_that_collects_graphs_itself_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layer = Layer()
    found = []

    def program() -> None:
        writer = tf.summary.create_file_writer(str(tmp_path / "summaries"))
        tf.summary.trace_on(graph=True)
        layer.step(tf.ones([2, 4]))
        with writer.as_default():
            tf.summary.trace_export("mine", step=0)
        writer.close()
        for file in (tmp_path / "summaries").iterdir():
            for event in tf.compat.v1.train.summary_iterator(str(file)):
                found.extend(value.tag for value in event.summary.value)

    recorded = record(tmp_path / "trace", program)
    assert found == ["mine"]
    assert kept_graphs(recorded.reader.path)[number_of(recorded, "step")] == (BUILT,)
    assert "no graphs as they run of step: the program collects run metadata itself" in capsys.readouterr().err


def test_a_program_that_has_collected_graphs(tmp_path: Path) -> None:
    layer = Layer()

    def program() -> None:
        tf.summary.trace_on(graph=True)
        layer.step(tf.ones([2, 4]))
        tf.summary.trace_off()
        layer.step(tf.ones([2, 4]))

    recorded = record(tmp_path, program)
    assert kept_graphs(recorded.reader.path)[number_of(recorded, "step")] == (BUILT, RUN, RECORDED)


def test_several_threads(tmp_path: Path) -> None:
    layers = [Layer() for _ in range(4)]

    def program() -> None:
        threads = [
            threading.Thread(target=lambda layer=layer: [layer.step(tf.ones([2, 4])) for _ in range(5)])
            for layer in layers
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    recorded = record(tmp_path, program)
    assert [layer.calls.numpy() for layer in layers] == [5] * 4
    steps = sorted({row["function"] for row in recorded.executions if row["function"] >= 0})
    kept = kept_graphs(recorded.reader.path)
    assert [kept[number] for number in steps] == [(BUILT, RUN, RECORDED)] * len(steps)


def test_random_numbers_and_errors_are_the_programs(tmp_path: Path) -> None:
    @tf.function
    def drawn() -> tf.Tensor:
        return tf.random.normal([3])

    @tf.function
    def failing(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_positive(x)
        return x

    def program() -> list[np.ndarray]:
        tf.random.set_seed(5)
        with pytest.raises(tf.errors.InvalidArgumentError):
            failing(tf.constant([-1.0]))
        return [drawn().numpy() for _ in range(2)]

    plain, found = program(), []
    record(tmp_path, lambda: found.extend(program()))
    np.testing.assert_array_equal(found, plain)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    from tensordbg.backends.tensorflow.internals import context

    layer = Layer()
    record(tmp_path, lambda: layer.step(tf.ones([2, 4])))
    names = context.context().list_function_names()
    assert not [name for name in names if "_tensordbg_plain" in str(name)]
    assert context.Context.enable_run_metadata.__qualname__ == "Context.enable_run_metadata"


def test_no_graphs_unless_asked_for(tmp_path: Path) -> None:
    layer = Layer()
    with tensordbg.record(tmp_path) as recording:
        layer.step(tf.ones([2, 4]))
    assert kept_graphs(recording.path) == {}
