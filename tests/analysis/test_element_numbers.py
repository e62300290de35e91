"""Events of a pipeline's functions tell which element they belong to, in the order of the elements."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

import tensordbg
from tensordbg.analysis.show import history_of
from tensordbg.trace.reader import open_trace


def test_each_function_counts_its_own_elements(tmp_path: Path) -> None:
    def halved(n: tf.Tensor) -> tf.Tensor:
        while n > 10:
            n //= 2
        return n

    with tensordbg.record(tmp_path, detail="values") as recording:
        data = tf.data.Dataset.range(5).map(lambda x: x * 10).filter(lambda kept: kept > 10).map(halved)
        assert [int(each) for each in data] == [10, 7, 10]
    reader = open_trace(recording.path)

    def numbered(name: str) -> list[tuple[int | None, int | None, float]]:
        points = history_of(reader, name).points
        return [(point.element, point.iteration, point.health.max) for point in points if point.health]

    assert numbered("x") == [(number, None, number) for number in range(5)]
    assert numbered("kept") == [(number, None, 10 * number) for number in range(5)]
    given = [(0, 0, 20), (0, 1, 10), (1, 0, 30), (1, 1, 15), (1, 2, 7), (2, 0, 40), (2, 1, 20), (2, 2, 10)]
    assert [each for each in numbered("n") if each[1] is not None] == given


def test_other_events_belong_to_none(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        tf.exp(tf.constant(1.0))
    assert [point.element for point in history_of(open_trace(recording.path), "Exp").points] == [None]
