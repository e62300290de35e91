"""Events of a pipeline's functions tell what belongs to one element, however many are worked on at once."""

from __future__ import annotations

from pathlib import Path

import tensorflow as tf

import tensordbg
from tensordbg.analysis.tensors.show import history_of
from tensordbg.trace.reader import TraceReader, open_trace


def numbered(reader: TraceReader, name: str) -> list[tuple[int | None, float]]:
    """Call and value of each event of a scalar."""
    return [(point.call, point.health.max) for point in history_of(reader, name).points if point.health]


def test_each_function_counts_its_own_calls(tmp_path: Path) -> None:
    def tenfold(x: tf.Tensor) -> tf.Tensor:
        y = x * 10
        return y + 0

    def halved(n: tf.Tensor) -> tf.Tensor:
        while n > 10:
            n //= 2
        return n

    with tensordbg.record(tmp_path) as recording:
        data = tf.data.Dataset.range(5).map(tenfold).filter(lambda kept: kept > 10).map(halved)
        assert [int(each) for each in data] == [10, 7, 10]
    reader = open_trace(recording.path)
    given, made = dict(numbered(reader, "x")), dict(numbered(reader, "y"))
    assert sorted(given) == list(range(5))
    assert sorted(given.values()) == list(range(5))
    assert made == {call: 10 * value for call, value in given.items()}
    assert sorted(value for _, value in numbered(reader, "kept")) == [0, 10, 20, 30, 40]
    turns: dict[int | None, list[float]] = {}
    for call, value in numbered(reader, "n"):
        turns.setdefault(call, []).append(value)
    assert sorted(turns) == [0, 1, 2]


def test_other_events_belong_to_none(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording:
        tf.exp(tf.constant(1.0))
    assert [point.call for point in history_of(open_trace(recording.path), "Exp").points] == [None]
