"""Ragged and sparse tensors of a program are shown as one value under their own names, as TensorFlow prints them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.tensors.composites import whole_values
from tensordbg.analysis.tensors.show import history_of
from tensordbg.errors import UsageError
from tensordbg.trace.reader import TraceReader, open_trace

PRINTED: dict[str, str] = {}


@tf.function
def work(r: tf.RaggedTensor, s: tf.SparseTensor, texts: tf.Tensor) -> tuple[object, ...]:
    doubled = r * 2
    words = tf.strings.split(texts)
    nested = tf.ragged.stack([words, words])
    fixed = tf.RaggedTensor.from_row_splits(r.flat_values * 3.0, [0, 2, 5])
    ordered = tf.sparse.reorder(s)
    total = tf.sparse.sparse_dense_matmul(s, tf.ones([2, 1]))
    grown = r
    for _ in tf.range(2):
        grown += 1.0
    return doubled, words, nested, fixed, ordered, total, grown


def program() -> None:
    r = tf.ragged.constant([[1.0, 2.0], [], [3.0, 4.0, 5.0]])
    s = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    results = work(r, s, tf.constant(["a b c", "", "dd"]))
    for name, value in zip(("doubled", "words", "nested", "fixed", "ordered"), results, strict=False):
        PRINTED[name] = repr(value) if isinstance(value, tf.RaggedTensor) else str(value)
    PRINTED["r"] = repr(r)
    PRINTED["s"] = str(s)
    rows = tf.data.Dataset.range(4).map(tf.range).apply(tf.data.experimental.dense_to_ragged_batch(2))
    PRINTED["batch"] = repr([*rows.map(lambda batch: batch + 0)][-1])


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], TraceReader]:
    known: dict[str, TraceReader] = {}

    def reader(detail: str) -> TraceReader:
        if detail not in known:
            folder: Path = tmp_path_factory.mktemp(detail)
            with tensordbg.record(folder, detail=detail) as recording:
                program()
            known[detail] = open_trace(recording.path)
        return known[detail]

    return reader


@pytest.mark.parametrize("name", ["r", "s", "doubled", "words", "nested", "fixed", "ordered", "batch"])
def test_as_printed(record: Callable[[str], TraceReader], name: str) -> None:
    history = history_of(record("values"), name, function="" if name == "batch" else "work")
    texts = whole_values(record("values"), history.points)
    if name == "batch":  # TensorFlow may compute several elements at a time
        assert PRINTED[name] in texts.values()
    else:
        assert texts[history.points[-1].event] == PRINTED[name]


def test_in_each_turn_of_a_loop(record: Callable[[str], TraceReader]) -> None:
    history = history_of(record("values"), "grown", function="work")
    assert [point.text for point in history.points if point.iteration is not None] == [
        "<tf.RaggedTensor [[1.0, 2.0], [], [3.0, 4.0, 5.0]]>",
        "<tf.RaggedTensor [[2.0, 3.0], [], [4.0, 5.0, 6.0]]>",
        "<tf.RaggedTensor [[3.0, 4.0], [], [5.0, 6.0, 7.0]]>",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("r", "ragged, 3 rows"),
        ("fixed", "ragged, 2 rows"),
        ("nested", "ragged, 2 rows"),
        ("s", "sparse of rank 2, 2 values"),
    ],
)
def test_extent_without_elements(record: Callable[[str], TraceReader], name: str, said: str) -> None:
    (point,) = history_of(record("health"), name, function="work").points
    assert point.text == said


def test_other_tensors_are_left_alone(record: Callable[[str], TraceReader]) -> None:
    history = history_of(record("values"), "total", function="work")
    assert [point.text for point in history.points] == [""]
    assert whole_values(record("values"), history.points) == {}


def test_in_a_session(tmp_path: Path) -> None:
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session, tensordbg.record(tmp_path, detail="values") as recording:
        fed = v1.sparse_placeholder(tf.float32, name="fed")
        doubled = tf.SparseTensor(fed.indices, fed.values * 2.0, fed.dense_shape)
        # What is folded away is not shown as if it had no events.
        folded = tf.SparseTensor([[0], [1]], tf.constant([1.0, 2.0]) * 3.0, [2])
        given = v1.SparseTensorValue([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
        session.run([tf.sparse.reduce_sum(doubled), tf.sparse.to_dense(folded)], {fed: given})
    reader = open_trace(recording.path)
    printed = {}
    for name in ("fed", "doubled"):
        points = history_of(reader, name).points
        printed[name] = [" ".join(text.split()) for text in whole_values(reader, points).values()]
    indices = "indices=tf.Tensor( [[0 1] [1 0]], shape=(2, 2), dtype=int64)"
    shape = "dense_shape=tf.Tensor([2 2], shape=(2,), dtype=int64)"
    for name, values in {"fed": "[1. 2.]", "doubled": "[2. 4.]"}.items():
        values_text = f"values=tf.Tensor({values}, shape=(2,), dtype=float32)"
        assert printed[name] == [f"SparseTensor({indices}, {values_text}, {shape})"]
    with pytest.raises(UsageError, match="nothing was recorded of 'folded'"):
        history_of(reader, "folded")
