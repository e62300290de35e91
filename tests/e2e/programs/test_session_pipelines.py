"""Input pipelines of TensorFlow 1: a session runs their functions by itself, from its graph's library."""

from __future__ import annotations

import contextlib
import linecache
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tests.backends.tensorflow.checked import checking
from tests.backends.tensorflow.recorded import read
from tests.e2e.programs.checking import Program, check, marked_lines

v1 = tf.compat.v1

NUMBERS = np.float32([1.0, 2.0, 0.0, 4.0])


def numbers() -> v1.data.Dataset:
    return v1.data.Dataset.from_tensor_slices(NUMBERS)


def drained(iterator: v1.data.Iterator) -> list[object]:
    """All that comes out of an iterator."""
    element = iterator.get_next()
    found = []
    with v1.Session() as session, contextlib.suppress(tf.errors.OutOfRangeError):
        with contextlib.suppress(ValueError):  # a one-shot iterator has no initializer
            session.run(iterator.initializer)
        while True:
            found.append(session.run(element))
    return found


def map_of_a_one_shot_iterator() -> object:
    with tf.Graph().as_default():
        shares = numbers().map(lambda x: 1.0 / x)  # HERE
        return drained(v1.data.make_one_shot_iterator(shares.batch(2)))


def map_of_an_initializable_iterator() -> object:
    with tf.Graph().as_default():
        shares = numbers().map(lambda x: 1.0 / x, num_parallel_calls=2)  # HERE
        return drained(v1.data.make_initializable_iterator(shares.prefetch(2)))


def function_and_branch_in_a_map() -> object:
    @tf.function
    def logarithm(x: tf.Tensor) -> tf.Tensor:
        return tf.math.log(x)  # HERE

    def limited(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x > 3.0, lambda: x, lambda: logarithm(x))

    with tf.Graph().as_default():
        return drained(v1.data.make_one_shot_iterator(numbers().map(limited)))


def filter_by_a_computed_number() -> object:
    with tf.Graph().as_default():
        kept = numbers().filter(lambda x: tf.math.rsqrt(x) > 0.6)  # HERE
        return drained(v1.data.make_one_shot_iterator(kept))


def pipelines_in_a_pipeline() -> object:
    def twice(x: tf.Tensor) -> v1.data.Dataset:
        return v1.data.Dataset.from_tensors(x).repeat(2).map(lambda y: tf.math.log(y))  # HERE

    with tf.Graph().as_default():
        return [
            drained(v1.data.make_one_shot_iterator(numbers().flat_map(twice))),
            drained(v1.data.make_initializable_iterator(numbers().interleave(twice, 2, num_parallel_calls=2))),
        ]


def state_from_element_to_element() -> object:
    with tf.Graph().as_default():
        sums = numbers().scan(1.0, lambda s, x: (s / x, s))  # HERE
        return drained(v1.data.make_one_shot_iterator(sums))


def function_called_in_the_graph_too() -> object:
    logarithm = tf.function(lambda x: tf.math.log(x))  # HERE
    with tf.Graph().as_default(), v1.Session() as session:
        element = v1.data.make_one_shot_iterator(numbers().map(logarithm)).get_next()
        given = v1.placeholder(tf.float32, [])
        return [session.run([element, logarithm(given)], {given: 3.0}) for _ in range(3)]


def pipeline_after_the_first_run() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        first = v1.data.make_one_shot_iterator(numbers().map(lambda x: x + 1.0)).get_next()
        before = session.run(first)
        second = v1.data.make_one_shot_iterator(numbers().map(lambda x: 1.0 / x)).get_next()  # HERE
        return [before, *(session.run(first + second) for _ in range(3))]


def batch_that_trains() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        v1.set_random_seed(3)
        rows = v1.data.Dataset.from_tensor_slices(np.float32([[1.0, 2.0], [3.0, 4.0], [0.0, 0.0], [5.0, 6.0]]))
        rows = rows.map(lambda x: x / tf.reduce_sum(x)).shuffle(4, seed=5).repeat().batch(2)  # HERE
        row = v1.data.make_one_shot_iterator(rows).get_next()
        weight = v1.get_variable("weight", [2, 1], initializer=v1.ones_initializer())
        loss = tf.reduce_mean(tf.square(tf.matmul(row, weight) - 1.0))
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(v1.global_variables_initializer())
        return [session.run([loss, train])[0] for _ in range(4)]


PROGRAMS = [
    map_of_a_one_shot_iterator,
    map_of_an_initializable_iterator,
    function_and_branch_in_a_map,
    filter_by_a_computed_number,
    pipelines_in_a_pipeline,
    state_from_element_to_element,
    function_called_in_the_graph_too,
    pipeline_after_the_first_run,
    batch_that_trains,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program: Program, tmp_path: Path) -> None:
    check(program, tmp_path)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_a_pipeline_computes_is_checked(program: Program) -> None:
    with checking(), pytest.raises(tf.errors.InvalidArgumentError) as raised:
        program()
    (here,) = marked_lines(program)
    assert linecache.getline(__file__, here).split("#")[0].strip() in str(raised.value)


def test_what_is_exported_is_plain(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path), tf.Graph().as_default() as graph, v1.Session() as session:
        element = v1.data.make_one_shot_iterator(numbers().map(lambda x: x + 1.0)).get_next()
        session.run(element)
        assert b"ensordbg" not in graph.as_graph_def().SerializeToString()
        # The runtime's own copy of the graph, too.
        with tf.Graph().as_default() as again:
            tf.import_graph_def(graph.as_graph_def(), name="")
            assert b"ensordbg" not in again.as_graph_def().SerializeToString()


def test_a_session_from_before_says_what_it_has(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default():
        element = v1.data.make_one_shot_iterator(numbers().map(lambda x: 1.0 / x)).get_next()
        with v1.Session() as session:
            session.run(element)
            with tensordbg.record(tmp_path / "before"):
                session.run(element)
        assert "functions of an input pipeline compute can't be recorded" in capsys.readouterr().err
        with tensordbg.record(tmp_path / "after") as recording, v1.Session() as session:
            session.run([element])
        assert "can't be" not in capsys.readouterr().err
    assert read(recording.path).of("truediv")


def test_a_session_goes_on_after_the_recording(tmp_path: Path) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        with tensordbg.record(tmp_path):
            element = v1.data.make_one_shot_iterator(numbers().map(lambda x: x + 1.0)).get_next()
            found = [session.run(element)]
        found.append(session.run(element * 2.0))
        later = v1.data.make_one_shot_iterator(numbers().map(lambda x: x + 2.0)).get_next()
        found.append(session.run(element * 2.0 + later))
    assert found == [2.0, 6.0, 5.0]
