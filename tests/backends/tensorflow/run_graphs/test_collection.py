"""Collecting the graphs of a function that is made ready to run, and not run."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.run_graphs.collection import Call, CollectionError, GraphCollection, UsersCollection


def call_of(function: Any) -> Call:
    runtime = context.context()
    attributes = tuple(part for item in runtime.function_call_options.as_attrs().items() for part in item)
    inputs = list(function.captured_inputs)
    return Call(runtime._handle, "", inputs, attributes, len(function.function_def.signature.output_arg))


def test_a_function_is_made_ready_and_not_run() -> None:
    counter = tf.Variable(0)

    @tf.function
    def counted() -> tf.Tensor:
        return counter.assign_add(1) * 2

    function = counted.get_concrete_function()
    graphs = GraphCollection(Entries()).collect(function.function_def.signature.name, call_of(function))
    assert "Mul" in {node.op for node in graphs.pre_optimization_graph.node}
    assert [node.op for part in graphs.partition_graphs for node in part.node].count("Mul") == 1
    assert counter.numpy() == 0
    assert counted().numpy() == 2


def test_what_can_not_be_made_ready_is_an_error() -> None:
    with pytest.raises(CollectionError, match="no_such_function"):
        GraphCollection(Entries()).collect("no_such_function", Call(context.context()._handle, "", [], (), 0))


def test_a_second_time_there_is_nothing_new() -> None:
    function = tf.function(lambda: tf.constant(1.0)).get_concrete_function()
    name, collection = function.function_def.signature.name, GraphCollection(Entries())
    collection.collect(name, call_of(function))
    with pytest.raises(CollectionError, match="no graph"):
        collection.collect(name, call_of(function))


def test_the_programs_own_collecting_is_seen() -> None:
    users = UsersCollection(threading.RLock())
    tf.summary.trace_on(graph=True)
    assert users.on
    tf.summary.trace_off()
    users.install()
    try:
        context.context().enable_run_metadata()
        assert users.on
        context.context().disable_run_metadata()
        assert not users.on
    finally:
        users.uninstall()
