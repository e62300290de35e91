"""In a pipeline with origins it is known which element each call of a function was for, and what a batch has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorflow as tf

import tensordbg
from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.tensors.show import history_of
from tensordbg.model import BATCH_ORIGINS
from tensordbg.tensorflow import trace_data
from tensordbg.trace.reader import TraceReader, open_trace

ORDER = [4, 0, 5, 2, 1, 3]


def numbers(first: int) -> Any:
    return trace_data(tf.data.Dataset.range(first, first + 6))


def points(reader: TraceReader, name: str) -> tuple[ListedTensor, ...]:
    return history_of(reader, name).points


def largest(point: ListedTensor) -> float:
    assert point.health is not None
    assert point.health.max is not None
    return point.health.max


def test_calls_know_their_element_when_shuffled_parallel_and_repeated(tmp_path: Path) -> None:
    def tenfold(x: tf.Tensor) -> tf.Tensor:
        y = x * 10
        return y + 0

    with tensordbg.record(tmp_path) as recording:
        data = numbers(0).shuffle(6).map(tenfold, num_parallel_calls=3)
        read = [int(each) for each in data.repeat(2)]
    reader = open_trace(recording.path)
    assert sorted(read) == sorted(10 * number for number in ORDER * 2)
    made = points(reader, "y")
    assert [point.came_from for point in made] == [(f"element {largest(point) / 10:.0f}",) for point in made]
    assert len(made) == 12


def test_batches_of_a_zip_name_both_sides_row_by_row(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        zipped = tf.data.Dataset.zip(numbers(0), {"label": numbers(100).skip(1)})
        batches = [(x.numpy(), y["label"].numpy()) for x, y in zipped.shuffle(5).batch(2).prefetch(2)]
    found = points(open_trace(recording.path), BATCH_ORIGINS)
    assert [point.came_from for point in found] == [
        tuple(f"element {x} + element {y - 100}" for x, y in zip(*batch, strict=True)) for batch in batches
    ]
    assert [point.call for point in found] == [0, 1, 2]
    assert [point.text for point in found] == [""] * 3


def test_without_origins_nothing_is_told(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        list(tf.data.Dataset.range(3).map(lambda plain: plain * 2))
    assert [point.came_from for point in points(open_trace(recording.path), "plain")] == [()] * 3
