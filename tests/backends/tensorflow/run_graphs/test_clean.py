"""A program that collects graphs finds its own in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.run_graphs.clean import clean_graph, is_ours
from tests.backends.tensorflow.recorded import record


def collected(graphs: list[Any]) -> None:
    """Calls a function for the first time while graphs are collected."""

    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    @tf.function
    def looped(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = inner(x) * 2.0
        return x

    runtime = context.context()
    runtime.enable_run_metadata()
    looped(tf.ones(2))
    graphs.append(runtime.export_run_metadata())
    runtime.disable_run_metadata()


def test_a_program_finds_nothing_of_ours(tmp_path: Path) -> None:
    graphs: list[Any] = []
    recorded = record(tmp_path, lambda: collected(graphs))
    assert recorded.of("Sin")
    (metadata,) = graphs
    text = str(metadata)
    assert "Sin" in text
    assert "tdbg" not in text
    assert "Tensordbg" not in text


def test_also_after_the_recording(tmp_path: Path) -> None:
    later = tf.function(lambda x: tf.sin(x) + 1.0)
    record(tmp_path, lambda: later.get_concrete_function(tf.TensorSpec([2])))
    runtime = context.context()
    runtime.enable_graph_collection()
    later(tf.ones(2))
    assert "tdbg" not in str(runtime.export_run_metadata())
    runtime.disable_graph_collection()


def test_what_is_ours() -> None:
    assert is_ours("while/body/_7/tdbg_probe/3_0")
    assert is_ours("tdbg_check/3_0")
    assert not is_ours("my_tdbg_probe/x")
    assert not is_ours("tdbg/x")


def test_functions_in_the_library() -> None:
    graph = tf.compat.v1.GraphDef()
    graph.node.add(name="x", op="NoOp", input=["^tdbg_probe/1_0", "^y"])
    function = graph.library.function.add()
    function.node_def.add(name="tdbg_probe/2_0", op="TensordbgProbe")
    function.control_ret["tdbg_probe/2_0"] = "tdbg_probe/2_0"
    function.control_ret["done"] = "done"
    function.signature.control_output.extend(["done", "tdbg_probe/2_0"])
    function.node_def.add(name="tdbg_turn/0", op="Identity", input=["a:y:0", "^tdbg_probe/2_0"])
    function.ret["result"] = "tdbg_turn/0:output:0"
    function.ret["other"] = "b:y:1"
    clean_graph(graph)
    assert (list(graph.node[0].input), list(function.node_def)) == (["^y"], [])
    assert (dict(function.control_ret), list(function.signature.control_output)) == ({"done": "done"}, ["done"])
    assert dict(function.ret) == {"result": "a:y:0", "other": "b:y:1"}


def test_what_took_a_result_that_waited_takes_the_result() -> None:
    graph = tf.compat.v1.GraphDef()
    graph.node.add(name="call/tdbg_turn/0", op="Identity", input=["call/y:1", "^call/tdbg_probe/0_0"])
    graph.node.add(name="outer/tdbg_turn/0", op="Identity", input=["call/tdbg_turn/0"])
    graph.node.add(name="z", op="AddV2", input=["outer/tdbg_turn/0", "x", "^call/tdbg_turn/0"])
    clean_graph(graph)
    (node,) = graph.node
    assert list(node.input) == ["call/y:1", "x"]
