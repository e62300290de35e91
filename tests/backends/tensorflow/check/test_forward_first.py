"""Of a bad number in the forward pass and another in the backward pass the first is blamed, in every run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import function_pb2

from tensordbg.backends.tensorflow.check.forward_first import ForwardFirst
from tensordbg.backends.tensorflow.functions import waiting
from tests.backends.tensorflow.checked import blamed, checking, raised

LARGE = np.zeros(100_000, np.float32)
"""Large enough that checks take their time."""


@pytest.fixture(autouse=True, params=["checked first", "checked beside"])
def _checked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(waiting, "FEW_PROCESSORS", 10**6 if request.param == "checked first" else 0)
    with checking(path_length_limit=None):
        yield


def branches_of_one_function() -> Callable[..., Any]:
    weight = tf.Variable(LARGE)

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            slow = tf.reduce_sum(tf.sin(tf.cumsum(x))) * 0.0
            loss = tf.reduce_sum(tf.sqrt(weight)) + tf.reduce_sum(tf.math.log(slow))
        return loss, tape.gradient(loss, weight)

    return program


def calls_of_functions() -> Callable[..., Any]:
    weight = tf.Variable(LARGE)

    @tf.function
    def other(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.math.log(tf.reduce_sum(tf.sin(tf.cumsum(x))) * 0.0))

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(weight)) + other(x)
        return loss, tape.gradient(loss, weight)

    return program


def a_step_that_updates() -> Callable[..., Any]:
    """What it returns runs after the updates, which stand behind it in the graph."""
    weight = tf.Variable(LARGE)

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            slow = tf.reduce_sum(tf.sin(tf.cumsum(x))) * 0.0
            loss = tf.reduce_sum(tf.sqrt(weight)) + tf.reduce_sum(tf.math.log(slow))
        weight.assign_sub(tape.gradient(loss, weight))
        return loss

    return program


@pytest.mark.parametrize("make", [branches_of_one_function, calls_of_functions, a_step_that_updates])
def test_the_forward_operation_is_blamed(make: Callable[[], Callable[..., Any]]) -> None:
    assert {name for _, name, _ in blamed(make(), tf.constant(LARGE), times=20)} == {"Log"}


def recomputed() -> Callable[..., Any]:
    weight = tf.Variable(LARGE)

    @tf.recompute_grad
    def layer(x: tf.Tensor) -> tf.Tensor:
        first = tf.math.log(x * weight)  # HERE
        return tf.reduce_sum(first) + tf.reduce_sum(tf.math.log(x * 0.0 + 1.0))

    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = layer(x + 1.0)
        return loss, tape.gradient(loss, weight)

    return program


@pytest.mark.parametrize("kept", [slice(None), slice(1, None)], ids=["all", "gradient alone"])
def test_of_a_forward_pass_that_is_computed_once_more_the_line_is_named(kept: slice) -> None:
    """Where the loss is not wanted, nothing but what is computed once more can be blamed."""
    lines, first = inspect.getsourcelines(recomputed)
    (line,) = [number for number, text in enumerate(lines, first) if text.rstrip().endswith("# HERE")]
    program = recomputed()
    for _ in range(10):
        said = raised(tf.function(lambda x: program(x)[kept]), tf.constant(LARGE))
        assert said is not None
        assert f"(L{line}) layer: first = tf.math.log" in said.message


def test_what_is_computed_of_a_gradient_is_no_forward_pass() -> None:
    weight = tf.Variable(LARGE + 1.0)

    @tf.function
    def program() -> tf.Tensor:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(weight**3.0)
            slope = inner.gradient(loss, weight)
            norm = tf.sqrt(tf.reduce_sum(slope * slope))
        weight.assign_sub(0.0 * outer.gradient(norm, weight))
        return tf.reduce_sum(weight)

    assert float(program()) == len(LARGE)


def test_a_loop_takes_what_its_gradient_made() -> None:
    weight = tf.Variable([1.0, 4.0])

    @tf.function
    def program(turns: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            x = weight * 1.0
            for _ in tf.range(turns):
                x = tf.sqrt(x) + tf.sin(x)
            loss = tf.reduce_sum(x)
        gradient = tape.gradient(loss, weight)
        weight.assign_sub(0.0 * gradient)
        return gradient

    assert np.isfinite(program(tf.constant(3))).all()


def test_what_is_taken_by_something_before_waits_for_nothing() -> None:
    definition = function_pb2.FunctionDef()
    definition.node_def.add(name="loop", op="While", input=["list:handle:0"])
    for name, given in (("size", []), ("list", ["size:output:0"]), ("backward", ["loop:output:0", "^list"])):
        definition.node_def.add(name=name, op="Any", input=given)
    first = ForwardFirst(definition, {"size", "list", "backward"})
    first.learn(definition.node_def[0], ["loop"])
    gates = [first.gate(node) for node in definition.node_def[1:]]
    assert [bool(gate) for gate in gates] == [False, False, True]


def test_a_result_that_runs_after_the_updates_keeps_nothing_from_waiting() -> None:
    definition = function_pb2.FunctionDef()
    for name, given in (
        ("forward", []),
        ("result", ["forward:y:0", "^update"]),
        ("backward", []),
        ("update", ["^backward"]),
    ):
        definition.node_def.add(name=name, op="Any", input=given)
    first = ForwardFirst(definition, {"backward", "update"})
    for node in list(definition.node_def)[:2]:
        assert first.gate(node) == ()
        first.learn(node, [f"check of {node.name}"])
    assert first.gate(definition.node_def[2]) == ("tdbg_forward_checked/1",)
    assert list(definition.node_def[-1].input) == ["^check of forward"]


def test_a_graph_in_which_some_may_not_run_is_left_alone() -> None:
    definition = function_pb2.FunctionDef()
    definition.node_def.add(name="forward", op="Log")
    definition.node_def.add(name="backward", op="Reciprocal")
    for expected in (("tdbg_forward_checked/0",), ()):
        first = ForwardFirst(definition, {"backward"})
        first.learn(definition.node_def[0], ["check"])
        assert first.gate(definition.node_def[1]) == expected
        definition.node_def.add(name="branch", op="Switch")
