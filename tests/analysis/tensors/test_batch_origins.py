"""What a program takes out of a pipeline with origins is linked to the elements it consists of, or to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.tensors.show import history_of
from tensordbg.tensorflow import trace_data
from tensordbg.trace.reader import TraceReader, open_trace


def rows(first: int) -> Any:
    """Twelve elements that tell their number, of a shape in which nothing is like anything else."""
    return trace_data(tf.data.Dataset.range(first, first + 12)).map(
        lambda n: tf.stack([tf.cast(n, tf.float32), tf.cast(n, tf.float32) + 0.25])
    )


def points(reader: TraceReader, name: str, function: str = "") -> list[ListedTensor]:
    return list(history_of(reader, name, function).points)


def test_arguments_of_a_step_name_both_sides_row_by_row(tmp_path: Path) -> None:
    given: list[tuple[Any, Any]] = []

    @tf.function
    def step(features: Any, labels: Any) -> Any:
        return tf.reduce_sum(features) - tf.reduce_sum(labels["y"])

    with tensordbg.record(tmp_path) as recording:
        zipped = tf.data.Dataset.zip(rows(0), {"y": rows(100).skip(1)})
        for features, labels in zipped.shuffle(12).batch(4).repeat(2).prefetch(3):
            step(features, labels)
            given.append((features.numpy()[:, 0], labels["y"].numpy()[:, 0]))
    reader = open_trace(recording.path)
    wanted = [tuple(f"element {x:.0f} + element {y - 100:.0f}" for x, y in zip(*batch, strict=True)) for batch in given]
    assert len(wanted) == 6
    assert [point.came_from for point in points(reader, "features", "step")] == wanted
    assert [point.came_from for point in points(reader, "labels['y']", "step")] == wanted
    assert [point.came_from for point in points(reader, "IteratorGetNext:1")] == wanted


def test_a_loop_inside_of_a_function_names_them_too(tmp_path: Path) -> None:
    @tf.function
    def once(iterator: Any) -> Any:
        total = tf.constant(0.0)
        for _ in tf.range(3):
            total += tf.reduce_sum(next(iterator))
        return total

    with tensordbg.record(tmp_path) as recording:
        once(iter(rows(0).shuffle(12).batch(4)))
    found = points(open_trace(recording.path), "IteratorGetNext")
    assert len(found) == 3
    names = [name for point in found for name in point.came_from]
    assert sorted(names) == sorted(f"element {number}" for number in range(12))
    for point in found:
        assert point.health is not None
        numbers = [int(name.removeprefix("element ")) for name in point.came_from]
        assert point.health.sum == pytest.approx(2 * sum(numbers) + 4 * 0.25)


def test_batches_that_look_alike_are_told_apart_by_order_or_not_at_all(tmp_path: Path) -> None:
    def zeros() -> Any:
        return trace_data(tf.data.Dataset.range(8)).map(lambda n: n * 0).batch(2)

    with tensordbg.record(tmp_path / "all") as all_read:
        for batch in zeros().prefetch(2):
            tf.identity(batch)
    found = [point.came_from for point in points(open_trace(all_read.path), "IteratorGetNext:0")]
    assert found == [(f"element {n}", f"element {n + 1}") for n in (0, 2, 4, 6)]
    with tensordbg.record(tmp_path / "some") as some_read:
        for batch in zeros().prefetch(8).take(4):
            tf.identity(batch)
            break
    some = points(open_trace(some_read.path), "IteratorGetNext:0")
    assert [point.came_from for point in some] in ([()], [("element 0", "element 1")])


def test_what_was_changed_on_the_way_is_linked_to_nothing(tmp_path: Path) -> None:
    @tf.function
    def step(turned: Any) -> Any:
        return turned + 1.0

    with tensordbg.record(tmp_path) as recording:
        for batch in rows(0).batch(4):
            step(tf.reverse(batch, [0]))
    reader = open_trace(recording.path)
    assert [point.came_from for point in points(reader, "turned", "step")] == [()] * 3
    assert all(point.came_from for point in points(reader, "IteratorGetNext:0"))
