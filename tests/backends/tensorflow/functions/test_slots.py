"""What an optimizer keeps beside a variable is recorded after each update, and the program computes the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

import tensordbg
from tensordbg.analysis.names.listing import Selection, list_tensors
from tensordbg.backends.tensorflow.functions.slots import slots_by_reference, slots_of
from tests.backends.tensorflow.recorded import Recorded, record


class Adam:
    """A variable with what Adam keeps beside it."""

    def __init__(self, value: Sequence[float]) -> None:
        self.var, self.m, self.v = (
            tf.Variable(numbers, dtype=tf.float32, name=name)
            for numbers, name in ((value, "kernel"), (np.zeros_like(value), "m"), (np.zeros_like(value), "v"))
        )

    def update(self, gradient: Any) -> None:
        """One step."""
        tf.raw_ops.ResourceApplyAdam(
            var=self.var.handle, m=self.m.handle, v=self.v.handle, beta1_power=0.9, beta2_power=0.999, lr=0.1,
            beta1=0.9, beta2=0.999, epsilon=1e-7, grad=gradient,
        )  # fmt: skip


def ranges(recorded: Recorded, name: str) -> list[tuple[float, float]]:
    """Least and greatest of the tensors with a name."""
    return [(event.row["min"], event.row["max"]) for event in recorded.of(name)]


def test_in_a_function_each_slot_is_read_behind_each_update(tmp_path: Path) -> None:
    kept: list[Any] = []

    def program() -> None:
        adam = Adam([1.0, 2.0])

        @tf.function
        def step(x: tf.Tensor) -> tf.Tensor:
            adam.update(x)
            first = tf.reduce_sum(adam.v)
            adam.update(x * 2.0)
            return first + tf.reduce_sum(adam.var)

        for gradient in (1.0, 3.0):
            step(tf.constant([gradient, -gradient]))
            kept.append((adam.m.numpy(), adam.v.numpy()))

    recorded = record(tmp_path, program)
    second = {name: ranges(recorded, f"ResourceApplyAdam_1/new_{name}") for name in ("m", "v")}
    for step, (mean, squares) in enumerate(kept):
        assert second["m"][step] == pytest.approx((mean.min(), mean.max()))
        assert second["v"][step] == pytest.approx((squares.min(), squares.max()))
    # The first update of each step, which the second must not have overtaken.
    first = [highest for _, highest in ranges(recorded, "ResourceApplyAdam/new_v")]
    assert first == pytest.approx([0.001, 0.013994], rel=1e-4)
    variables = {
        recorded.variables[n].name for e in recorded.of("ResourceApplyAdam/new_v") for n in recorded.site_of(e).reads
    }
    assert variables == {"v"}
    listed = list_tensors(recorded.reader, Selection(tensor="ResourceApplyAdam/new_v"))
    assert {row.variables for row in listed.rows} == {("v",)}


def test_in_loops_and_branches(tmp_path: Path) -> None:
    kept: list[float] = []

    def program() -> None:
        adam = Adam([1.0])

        @tf.function
        def steps(turns: tf.Tensor) -> None:
            for turn in tf.range(turns):
                if turn % 2 == 0:
                    adam.update([1.0])
                else:
                    adam.update([2.0])

        steps(tf.constant(4))
        kept.append(float(adam.v[0]))

    recorded = record(tmp_path, program)
    updates = {e.iteration: e.row["max"] for e in recorded.events if e.name.endswith("/new_v")}
    assert [updates[turn] for turn in range(4)] == sorted(set(updates.values()))
    assert updates[3] == pytest.approx(kept[0])


def test_of_chosen_rows_only_those_are_read(tmp_path: Path) -> None:
    def program() -> None:
        table, squares = (tf.Variable(tf.fill([1000, 2], value)) for value in (1.0, 0.5))

        def update(gradient: Any) -> None:
            tf.raw_ops.ResourceSparseApplyAdagrad(
                var=table.handle, accum=squares.handle, lr=0.1, grad=gradient, indices=tf.constant([3, 7, 3])
            )

        tf.function(update)(tf.ones([3, 2]))
        update(tf.ones([3, 2]))

    recorded = record(tmp_path, program)
    (read,) = recorded.of("ResourceSparseApplyAdagrad/new_accum")
    assert (read.shape, read.row["min"], read.row["max"]) == ("[3, 2]", 1.5, 2.5)
    (eager,) = recorded.of("ResourceGather")
    assert (eager.shape, eager.row["min"], eager.row["max"]) == ("[3, 2]", 2.5, 4.5)


def test_eagerly(tmp_path: Path) -> None:
    adam = Adam([1.0, 2.0])
    adam.update([1.0, 1.0])
    recorded = record(tmp_path, lambda: adam.update([2.0, 2.0]))
    read = {
        recorded.variables[n].name: e.row["max"]
        for e in recorded.of("ReadVariableOp")
        for n in recorded.site_of(e).reads
    }
    assert read == {"m": pytest.approx(adam.m.numpy().max()), "v": pytest.approx(adam.v.numpy().max())}


@pytest.mark.parametrize("wrap", [tf.function, lambda function: function])
def test_the_program_computes_the_same(tmp_path: Path, wrap: Callable[[Any], Any]) -> None:
    def train() -> list[Any]:
        adam = Adam(np.linspace(-1.0, 1.0, 1000))

        @wrap
        def step(x: tf.Tensor) -> tf.Tensor:
            adam.update(tf.sin(adam.var * x))
            adam.update(tf.cos(adam.v + x))
            return tf.reduce_sum(adam.m)

        return [*(step(tf.constant(float(k))) for k in range(20)), adam.var, adam.m, adam.v]

    plain = [result.numpy().tobytes() for result in train()]
    with tensordbg.record(tmp_path):
        recorded = train()
    assert [result.numpy().tobytes() for result in recorded] == plain


def test_every_update_of_tensorflow_is_known() -> None:
    types = [name for name in dir(tf.raw_ops) if name.startswith(("ResourceApply", "ResourceSparseApply"))]
    assert len(types) > 20
    for op_type in types:
        given = [argument.name for argument in op_def_registry.get(op_type).input_arg]
        slots = slots_of(op_type)
        assert [given[position] for position in slots.positions] == list(slots.names)
        assert ("Sparse" in op_type) == (slots.rows >= 0)
    assert slots_of("ResourceApplyAdam").names == ("m", "v")
    assert slots_of("ResourceApplyGradientDescent").names == ()
    assert slots_of("ApplyAdam").names == ()
    assert slots_by_reference("ResourceApplyAdam").names == ()
    assert slots_by_reference("ApplyGradientDescent").names == ()
    assert slots_by_reference("SparseApplyRMSProp").names == ("ms", "mom")
    assert slots_by_reference("SparseApplyRMSProp").rows == 8
