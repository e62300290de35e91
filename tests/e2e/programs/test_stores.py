"""Queues, staging areas, accumulators, tensor arrays and tables: what comes out bad leads back to what went in."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf
from tensorflow.python.ops import data_flow_ops

from tests.e2e.programs.checking import Program, check
from tests.e2e.programs.test_sessions import first_version

v1 = tf.compat.v1


def queue_filled_by_a_runner() -> object:
    with first_version(), v1.Session() as session:
        queue = v1.FIFOQueue(8, tf.float32, [[]])
        given = v1.placeholder_with_default([1.0, 0.0, 4.0], [3])
        enqueue = queue.enqueue_many([1.0 / given])  # HERE
        v1.train.add_queue_runner(v1.train.QueueRunner(queue, [enqueue]))
        taken = queue.dequeue() * 2.0
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        found = [session.run(taken) for _ in range(6)]
        coordinator.request_stop()
        session.run(queue.close(cancel_pending_enqueues=True))
        coordinator.join(threads, stop_grace_period_secs=10)
        return found


def slices_in_batches() -> object:
    with first_version(), v1.Session() as session:
        rows = tf.constant([[1.0, 2.0], [0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
        row = v1.train.slice_input_producer([rows], shuffle=False)[0]
        share = row / tf.reduce_sum(row)  # HERE
        total = tf.reduce_sum(v1.train.batch([share], 2))
        session.run(v1.local_variables_initializer())
        coordinator = v1.train.Coordinator()
        threads = v1.train.start_queue_runners(session, coordinator)
        found = [session.run(total) for _ in range(2)]
        coordinator.request_stop()
        coordinator.join(threads, stop_grace_period_secs=10)
        return found


def staging_area() -> object:
    with first_version(), v1.Session() as session:
        area = data_flow_ops.StagingArea([tf.float32])
        given = v1.placeholder(tf.float32, [], name="given")
        put, taken = area.put([tf.math.log(given)]), area.get()  # HERE
        found = []
        for value in (2.0, 0.0):
            session.run(put, {given: value})
            found.append(session.run(taken[0] * 2.0))
        return found


def accumulated_gradients() -> object:
    with first_version(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [], name="given")
        accumulator = v1.ConditionalAccumulator(tf.float32, shape=[])
        put = accumulator.apply_grad(tf.math.rsqrt(given))  # HERE
        for value in (4.0, 0.0):
            session.run(put, {given: value})
        return session.run(accumulator.take_grad(2) * 3.0)


def rows_mapped_one_by_one() -> object:
    with first_version(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [None], name="given")
        total = tf.reduce_sum(tf.map_fn(lambda each: 1.0 / each, given))  # HERE
        return session.run(total, {given: [1.0, 0.0, 2.0]})


def eager_queue() -> object:
    queue = tf.queue.FIFOQueue(3, [tf.float32])
    for value in (2.0, 0.0):
        queue.enqueue(tf.math.log(tf.constant(value)))  # HERE
    return [queue.dequeue() * 2.0 for _ in range(2)]


def table_of_numbers() -> object:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, 0.5)
    table.insert(tf.constant(["a", "b"]), tf.math.log(tf.constant([0.0, 1.0])))  # HERE
    return table.lookup(tf.constant(["b", "a", "c"])) * 2.0


PROGRAMS: list[Program] = [
    queue_filled_by_a_runner,
    slices_in_batches,
    staging_area,
    accumulated_gradients,
    rows_mapped_one_by_one,
    eager_queue,
    table_of_numbers,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_comes_out_leads_back_to_what_went_in(program: Program, tmp_path: Path) -> None:
    answer = check(program, tmp_path).answer
    causes = {origin["cause"] for origin in answer["origins"]}
    assert not causes & {"bad_input_data", "source_not_seen"}, causes
