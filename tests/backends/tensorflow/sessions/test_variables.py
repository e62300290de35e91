"""Variables of sessions are numbered where they are read and written, by resource and by reference."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.sessions.variables import SessionVariables, puts_out_references, reads_later
from tensordbg.recording.catalog import Catalog

v1 = tf.compat.v1


@pytest.fixture
def catalog() -> Iterator[Catalog]:
    """A catalog, and a graph around it."""
    with tf.Graph().as_default():
        yield Catalog()


def test_by_reference(catalog: Catalog) -> None:
    v = v1.get_variable("v", [2, 3], use_resource=False)
    update = v1.assign_sub(v, tf.ones([2, 3]))
    variables = SessionVariables(catalog)
    (number,) = variables.read_by(v.op)
    assert variables.written_by(update.op) == variables.written_by(v.initializer) == (number,)
    assert variables.read_by(update.op) == variables.written_by(v.op) == ()
    known = catalog.variable(number)
    assert (known.name, known.dtype, known.shape, known.trainable) == ("v", "float32", "[2, 3]", True)
    assert puts_out_references(v.op)
    assert not puts_out_references(v.value().op)


def test_by_resource(catalog: Catalog) -> None:
    v = v1.get_variable("v", [2], use_resource=True, trainable=False)
    read, update = v.read_value().op.inputs[0].op, v.assign_add([1.0, 1.0]).op
    writer = next(operation for operation in update.graph.get_operations() if operation.type == "AssignAddVariableOp")
    variables = SessionVariables(catalog)
    (number,) = variables.read_by(read)
    assert variables.written_by(writer) == (number,)
    assert catalog.variable(number).trainable is False


def test_an_optimizer_by_reference(catalog: Catalog) -> None:
    v = v1.get_variable("v", [2], use_resource=False)
    v1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(tf.square(v)))
    apply = next(operation for operation in v.graph.get_operations() if operation.type == "ApplyMomentum")
    written = SessionVariables(catalog).written_by(apply)
    assert [catalog.variable(number).name for number in written] == ["v", "v/Momentum"]


def test_queues_and_tables_are_no_variables(catalog: Catalog) -> None:
    queue = v1.FIFOQueue(2, [tf.float32])
    dequeue = queue.dequeue().op
    variables = SessionVariables(catalog)
    assert variables.read_by(dequeue) == variables.written_by(dequeue) == ()


def test_a_reference_that_is_read_behind_a_write(catalog: Catalog) -> None:
    v = v1.get_variable("v", [2], use_resource=False)
    with tf.control_dependencies([v1.assign_sub(v, tf.ones([2]))]):
        later = v.read_value().op
    variables = SessionVariables(catalog)
    assert variables.read_by(later) == variables.read_by(v.op) != ()
    assert reads_later(later)
    assert not reads_later(v.value().op)
    assert variables.read_by(v.value().op) == ()
