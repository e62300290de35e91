"""A capture is replayed where its functions are still there, as often as one likes, and they stay what they are."""

from __future__ import annotations

from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import function_pb2

import tensordbg
from tensordbg.backends.tensorflow.replay.names import give_free_names
from tensordbg.capture.outcome import Outcome
from tensordbg.capture.reader import list_captures
from tensordbg.capture.replayed import read_replayed
from tensordbg.replaying.launch import replay
from tensordbg.replaying.plan import ReplayPlan
from tests.e2e.programs.checking import bits


class Fitted:
    """Training by Keras of which the model goes on to live."""

    def __init__(self) -> None:
        self.model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(2, kernel_initializer="ones")])
        self.model.compile("sgd", loss=lambda _, found: tf.math.log(found - 3.0), run_eagerly=False)

    def __call__(self) -> None:
        self.model.fit(np.ones((8, 3), np.float32), np.ones((8, 2), np.float32), batch_size=8, verbose=0)


class Nested:
    """A step that calls functions, in a loop and by themselves."""

    def __init__(self) -> None:
        self.kernel = tf.Variable([1.0, 2.0])

    @tf.function(autograph=True)
    def inner(self, x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x * self.kernel)

    @tf.function
    def __call__(self) -> tf.Tensor:
        x = tf.constant([2.0, 0.5])
        with tf.GradientTape() as tape:
            for _ in tf.range(2):
                x = self.inner(x)
        self.kernel.assign_sub(tape.gradient(x, self.kernel))
        return x


@pytest.mark.parametrize("kind", [Fitted, Nested])
def test_a_replay_in_the_process_that_was_trapped(kind: type[Fitted | Nested], tmp_path: Path) -> None:
    program = kind()
    before = tf.nest.map_structure(tf.identity, variables(program))
    with tensordbg.trap(tmp_path / "captures", "record", most=1):
        program()
    after = bits(variables(program))
    (capture,) = list_captures(tmp_path / "captures")
    lines = []
    for again in ("first", "second"):
        replay(tmp_path / again, ReplayPlan(str(capture)))
        assert [run.outcome for run in read_replayed(tmp_path / again).runs] == [Outcome.SAME]
        origins = tensordbg.open(tmp_path / again).why().origins
        lines.append([(each.cause, each.place.line) for each in origins if each.consequential and each.place])
    assert len(lines[0]) == 1
    assert lines[0] == lines[1]
    assert bits(variables(program)) == after
    for variable, value in zip(variables(program), before, strict=True):
        variable.assign(value)
    program()
    assert bits(variables(program)) == after


def variables(program: Fitted | Nested) -> list[tf.Variable]:
    if isinstance(program, Nested):
        return [program.kernel]
    return [each.value for each in program.model.variables if each.dtype == "float32"][:2]


def test_names_that_are_taken_are_given_up_and_calls_follow() -> None:
    library = function_pb2.FunctionDefLibrary()
    for name, called in (("step", "inner"), ("inner", "deep"), ("deep", "elsewhere")):
        definition = library.function.add()
        definition.signature.name = name
        node = definition.node_def.add(name="loop", op="While")
        node.attr["body"].func.name = called
        node.attr["any"].list.func.add(name=called)
    captured = give_free_names(library, {"inner", "inner_replayed_1", "elsewhere"}.__contains__)
    assert captured == {"step": "step", "inner_replayed_2": "inner", "deep": "deep"}
    assert [each.signature.name for each in library.function] == list(captured)
    calls = [
        (each.node_def[0].attr["body"].func.name, each.node_def[0].attr["any"].list.func[0].name)
        for each in library.function
    ]
    assert calls == [("inner_replayed_2",) * 2, ("deep",) * 2, ("elsewhere",) * 2]
