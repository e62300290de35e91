"""What an optimizer keeps beside variables is recorded behind each run of a session, and nothing changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tests.backends.tensorflow.recorded import Recorded, read, record

v1 = tf.compat.v1

Rows = list[int] | None


def train(
    optimizer: Any, rows: Rows = None, factors: tuple[float, ...] = (1.0, 3.0), kind: str = "resource"
) -> list[Any]:
    """Trains a table with 3 rows, or some rows of it; gives it and the slots after each run."""
    kept = []
    with tf.Graph().as_default():
        weight = v1.get_variable("w", [3, 2], tf.float32, v1.ones_initializer(), use_resource=kind == "resource")
        given = v1.placeholder(tf.float32, [])
        chosen = weight if rows is None else tf.gather(weight, rows)
        step = optimizer().minimize(tf.reduce_sum(tf.square(chosen) * given))
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for factor in factors:
                session.run(step, {given: factor})
                kept.append(session.run(v1.global_variables()))
    return kept


def ranges(recorded: Recorded, slot: str) -> list[tuple[float, float]]:
    """Least and greatest of what was read of a slot."""
    (name,) = {event.name for event in recorded.events if event.name.endswith(f"/new_{slot}")}
    return [(event.row["min"], event.row["max"]) for event in recorded.of(name)]


@pytest.mark.parametrize("kind", ["resource", "reference"])
def test_each_slot_is_read_behind_each_run(tmp_path: Path, kind: str) -> None:
    kept: list[Any] = []
    recorded = record(tmp_path, lambda: kept.extend(train(lambda: v1.train.AdamOptimizer(0.1), kind=kind)))
    for step, (*_, mean, squares) in enumerate(kept):
        assert ranges(recorded, "m")[step] == (mean.min(), mean.max())
        assert ranges(recorded, "v")[step] == (squares.min(), squares.max())
    updates = [e for e in recorded.events if e.name.endswith("ApplyAdam/new_v")]
    assert [event.step for event in updates] == [0, 1]
    (site,) = {recorded.site_of(event).site for event in updates}
    assert [recorded.variables[number].name for number in recorded.sites[site].reads] == ["w/Adam_1"]
    # What they belong to is the run in which the update is.
    functions = {
        row["function"] for row in recorded.executions for event in updates if row["execution"] == event.execution
    }
    assert functions == {recorded.sites[site].function}


@pytest.mark.parametrize(
    ("optimizer", "slots"),
    [
        (lambda: v1.train.RMSPropOptimizer(0.1), {"ms", "mom"}),
        (lambda: v1.train.MomentumOptimizer(0.1, 0.9), {"accum"}),
        (lambda: v1.train.AdagradOptimizer(0.1), {"accum"}),
        (lambda: v1.train.FtrlOptimizer(0.1), {"accum", "linear"}),
        (lambda: v1.train.AdadeltaOptimizer(0.1), {"accum", "accum_update"}),
        (lambda: v1.train.GradientDescentOptimizer(0.1), set()),
    ],
)
@pytest.mark.parametrize("rows", [None, [0, 2, 0]], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", ["resource", "reference"])
def test_of_any_optimizer(tmp_path: Path, optimizer: Callable[[], Any], slots: set[str], rows: Rows, kind: str) -> None:
    plain: list[Any] = train(optimizer, rows, kind=kind)
    kept: list[Any] = []
    recorded = record(tmp_path, lambda: kept.extend(train(optimizer, rows, kind=kind)))
    read = {event.name.rpartition("/new_")[2] for event in recorded.events if "/new_" in event.name}
    assert read == slots
    assert [value.tobytes() for values in kept for value in values] == [
        value.tobytes() for values in plain for value in values
    ]


def test_a_long_table_of_which_rows_are_updated_is_left_alone(tmp_path: Path) -> None:
    def program() -> None:
        with tf.Graph().as_default():
            table = v1.get_variable("t", [1 << 18, 5], tf.float32, v1.ones_initializer(), use_resource=True)
            loss = tf.reduce_sum(tf.square(tf.gather(table, [1, 2])))
            step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                session.run(step)

    recorded = record(tmp_path, program)
    assert not [event for event in recorded.events if "/new_" in event.name]
    assert [event.step for event in recorded.events if event.name == "Gather"] == [0]


def test_an_update_that_failed_and_a_session_that_is_closed(tmp_path: Path) -> None:
    def program() -> None:
        with tf.Graph().as_default():
            weight = v1.get_variable("w", [2], tf.float32, v1.ones_initializer(), use_resource=True)
            step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(weight))
            with v1.Session() as session:
                with pytest.raises((tf.errors.FailedPreconditionError, tf.errors.InternalError)):
                    session.run(step)
                session.run(v1.global_variables_initializer())
                session.run(step)

    recorded = record(tmp_path, program)
    assert [event.row["max"] for event in recorded.events if "/new_accum" in event.name] == [1.0]


def test_in_a_loop_the_last_is_read(tmp_path: Path) -> None:
    def program() -> None:
        with tf.Graph().as_default():
            var, accum = (
                v1.get_variable(name, [1], tf.float32, v1.ones_initializer(), use_resource=True) for name in "va"
            )

            def turn(k: Any) -> Any:
                update = tf.raw_ops.ResourceApplyAdagrad(var=var.handle, accum=accum.handle, lr=0.1, grad=tf.ones([1]))
                with tf.control_dependencies([update]):
                    return k + 1

            v1.disable_control_flow_v2()
            last = tf.while_loop(lambda k: k < 3, turn, [0], parallel_iterations=1)
            v1.enable_control_flow_v2()
            with v1.Session() as session:
                session.run(v1.global_variables_initializer())
                session.run(last)

    (read,) = [event for event in record(tmp_path, program).events if event.name.endswith("/new_accum")]
    assert (read.path, read.row["max"]) == ("", 4.0)


def test_steps_that_are_left_out_read_nothing(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path, every=2) as recording:
        train(lambda: v1.train.AdagradOptimizer(0.1), factors=(1.0,) * 4)
    recorded = read(recording.path)
    assert [event.step for event in recorded.events if event.name.endswith("/new_accum")] == [0, 2]
