"""One rule for all names: of operations, of the text, of variables and layers; with the nearest where none fits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.graphs.layers import list_layers
from tensordbg.analysis.names.listing import recorded_tensors
from tensordbg.analysis.names.naming import AllTensors, Named, find_named, near_tensors, nearest
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.analysis.tensors.show import history_of
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.table.history import thinned_history
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.console.names.tensors import find_tensor, parse_tensor
from tensordbg.errors import UsageError
from tensordbg.model import TensorRef
from tensordbg.trace.reader import TraceReader
from tests.backends.tensorflow.recorded import record


class Scaled(keras.layers.Layer):
    """A layer of the program's own, with names in its text."""

    def call(self, inputs: Any) -> Any:
        doubled = inputs * 2.0
        return doubled + 1.0


def network() -> None:
    """Two blocks whose layers bear the same names, called in a function."""
    inputs = keras.Input((4,))
    values = inputs
    for block in ("first", "second"):
        inner = keras.Sequential([keras.layers.Dense(4, "relu", name="dense"), Scaled(name="scaled")], name=block)
        values = inner(values)
    model = keras.Model(inputs, keras.layers.Dense(1, name="out")(values), name="net")

    @tf.function
    def predict(batch: Any) -> Any:
        return model(batch)

    predict(tf.constant(np.ones((2, 4), np.float32)))


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> TraceReader:
    return record(tmp_path_factory.mktemp("net") / "trace", network).reader


@pytest.fixture(scope="module")
def program(reader: TraceReader) -> Program:
    return read_program(reader)


@pytest.fixture(scope="module")
def find(reader: TraceReader, program: Program) -> Callable[[str], Named]:
    recorded = recorded_tensors(reader)
    return lambda typed: find_named(program, typed, recorded)


def kinds(program: Program, named: Named) -> set[str]:
    """The types of the operations that are meant."""
    return {program.sites[ref.site].op_type for ref in named.tensors}


def test_what_a_layer_computes(program: Program, find: Callable[[str], Named]) -> None:
    named = find("first/dense/Relu")
    assert (named.name, kinds(program, named)) == ("net/first/dense/Relu:0", {"Relu"})
    assert find("first/Relu").tensors == named.tensors
    assert find("first/dense/Relu:0").tensors == named.tensors
    assert find("first/dense/Relu:1").tensors == ()
    # The name of the operation has Keras's own numbers.
    assert not any(site.name == "net/first/dense/Relu" for site in program.sites.values() if site.op_type == "Relu")


def test_what_several_layers_compute_is_asked_for(find: Callable[[str], Named]) -> None:
    named = find("dense/Relu")
    assert (named.name, len(named.tensors)) == ("", 2)
    assert named.choices("dense/Relu") == (
        "2 are named 'dense/Relu'; choose one of net/first/dense/Relu:0, net/second/dense/Relu:0"
    )
    assert find("first/dense/Relu").choices("first/dense/Relu") == ""


def test_a_layer_means_its_outputs(program: Program, find: Callable[[str], Named]) -> None:
    assert (find("out").name, kinds(program, find("out"))) == ("net/out", {"AddV2"})
    assert find("out:0").tensors == find("out").tensors
    assert find("second/dense").name == "net/second/dense"
    assert set(find("scaled").groups) == {"net/first/scaled", "net/second/scaled"}


def test_names_of_the_text_inside_a_layer(find: Callable[[str], Named], reader: TraceReader) -> None:
    inner = find("first/scaled/doubled")
    assert inner.name == "net/first/scaled/doubled"
    assert set(inner.tensors) < set(find("doubled").tensors)
    assert history_of(reader, "second/scaled/doubled").op_types == ("Mul",)


def test_variables_by_the_end_of_their_names(program: Program, find: Callable[[str], Named]) -> None:
    assert kinds(program, find("out/kernel")) == {"ReadVariableOp"}
    assert find("out/kernel").name.endswith("out/kernel")
    assert set(find("dense/kernel").groups) == {"first/dense/kernel", "second/dense/kernel"}


def test_all_that_the_table_of_layers_prints_can_be_typed(reader: TraceReader, find: Callable[[str], Named]) -> None:
    tensors = [tensor for layer in list_layers(reader) for tensor in layer.inner]
    assert len({tensor.typed for tensor in tensors}) == len(tensors) > 10
    for tensor in tensors:
        assert TensorRef(tensor.last.site, tensor.last.slot) in find(tensor.typed).tensors
        assert find(tensor.typed).name
        assert history_of(reader, tensor.typed).total == tensor.events


def test_the_show_the_page_the_console_and_the_interface_agree(reader: TraceReader) -> None:
    opened = OpenedTrace(reader)
    for typed in ("first/dense/Relu", "out", "out/kernel", "first/scaled/doubled"):
        total = history_of(reader, typed).total
        assert total >= 1
        assert thinned_history(opened, typed, "", 1000).total == total
        assert len(find_tensor(opened, parse_tensor(typed), EVERYTHING).events) == total
        assert tensordbg.open(reader.path).tensor(typed).total == total
    message = "2 are named 'dense/Relu'; choose one of net/first/dense/Relu:0, net/second/dense/Relu:0"
    with pytest.raises(UsageError, match=message):
        history_of(reader, "dense/Relu")
    with pytest.raises(UsageError, match=message):
        find_tensor(opened, parse_tensor("dense/Relu"), EVERYTHING)
    with pytest.raises(UsageError, match=message):
        thinned_history(opened, "dense/Relu", "", 1000)


def test_the_nearest_of_all_kinds(reader: TraceReader, program: Program) -> None:
    recorded = recorded_tensors(reader)
    assert nearest(program, "frst/dense/Relu", recorded)[0] == "first/dense/Relu:0"
    assert nearest(program, "second/scald/mul", recorded)[0] == "second/scaled/mul:0"
    with pytest.raises(UsageError, match=r"no tensor 'frst/dense/Relu:0' in .*; did you mean 'first/dense/Relu:0'"):
        history_of(reader, "frst/dense/Relu")
    with pytest.raises(UsageError, match="no tensor 'frst/dense/Relu:0' was recorded; did you mean 'first/dense/Relu"):
        find_tensor(OpenedTrace(reader), parse_tensor("frst/dense/Relu"), EVERYTHING)


def test_ends_of_names_and_those_of_gradients(tmp_path: Path) -> None:
    @tf.function
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.name_scope("scope"):
                y = tf.reduce_sum(tf.tile(tf.exp(x), [2]))
        return y, tape.gradient(y, x)

    reader = record(tmp_path, lambda: gradient(tf.constant([1.0, 2.0]))).reader
    recorded, program = recorded_tensors(reader), read_program(reader)
    assert find_named(program, "Exp", recorded).name == "scope/Exp:0"
    # The gradient of a sum has a `Tile` of its own.
    assert find_named(program, "Tile", recorded).name == "scope/Tile:0"
    assert find_named(program, "gradient_tape/scope/Tile", recorded).name == "gradient_tape/scope/Tile:0"
    # Operations of which nothing is recorded count only where no other fits.
    assert find_named(program, "Const", recorded).tensors == ()
    assert find_named(program, "Const", AllTensors()).tensors != ()
    with pytest.raises(UsageError, match="nothing was recorded of 'scope/Const:0': it is a constant"):
        history_of(reader, "scope/Const")


def test_only_the_function_that_is_asked_for_counts(tmp_path: Path) -> None:
    @tf.function
    def one(x: Any) -> Any:
        with tf.name_scope("a"):
            return tf.exp(x)

    @tf.function
    def other(x: Any) -> Any:
        with tf.name_scope("b"):
            return tf.exp(x)

    reader = record(tmp_path, lambda: (one(tf.constant(0.0)), other(tf.constant(1.0)))).reader
    assert history_of(reader, "Exp", "one").tensor == "a/Exp:0"
    assert history_of(reader, "Exp", "other").tensor == "b/Exp:0"
    with pytest.raises(UsageError, match="2 are named 'Exp'; choose one of a/Exp:0, b/Exp:0"):
        history_of(reader, "Exp")
    opened = OpenedTrace(reader)
    assert find_tensor(opened, parse_tensor("Exp"), EVERYTHING, "other").name == "b/Exp:0"


def test_near_names() -> None:
    assert near_tensors("Lgo", ["Log:0", "Exp:0"]) == ["Log:0"]
    assert near_tensors("log", ["a/Log:0", "b/LogSoftmax:0"]) == ["a/Log:0", "b/LogSoftmax:0"]
    assert near_tensors("zzz", ["a/Log:0"]) == []
