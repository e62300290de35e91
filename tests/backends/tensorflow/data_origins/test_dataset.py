"""Input pipelines with origins: the same elements in the same order, and each batch knows where its rows came from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.dataset import TracedDataset, trace_data
from tensordbg.backends.tensorflow.data_origins.notes import WorkNotes, origins_of
from tensordbg.errors import UsageError
from tests.backends.tensorflow.checked import checking
from tests.backends.tensorflow.recorded import record

Pipeline = Callable[[Any], Any]


def numbers() -> Any:
    x = np.arange(60, dtype=np.float32).reshape(20, 3)
    return tf.data.Dataset.from_tensor_slices({"x": x, "id": np.arange(20) + 100})


def records(folder: Path) -> Any:
    for name in "ab":
        with tf.io.TFRecordWriter(str(folder / f"{name}.tfrecord")) as writer:
            for i in range(6):
                writer.write(np.full(4, i + 10 * (name == "b"), np.float32).tobytes())
    return tf.data.TFRecordDataset([str(folder / "a.tfrecord"), str(folder / "b.tfrecord")])


def noisy(element: Any) -> Any:
    return element["x"] + tf.random.uniform((3,)), element["id"]


PIPELINES: dict[str, Pipeline] = {
    "shuffled": lambda data: data.shuffle(20).batch(6).prefetch(2),
    "parallel": lambda data: data.map(lambda each: each["x"] * 2.0, num_parallel_calls=4).batch(3),
    "random": lambda data: data.map(noisy).shuffle(7, seed=3).batch(4, drop_remainder=True),
    "lists": lambda data: data.map(lambda each: [each["x"], [each["id"], each["id"]]]).batch(4),
    "repeated": lambda data: data.skip(1).repeat(2).take(25).shard(2, 1).cache().batch(4),
    "filtered": lambda data: data.filter(lambda each: each["id"] % 3 == 0).padded_batch(3),
    "interleaved": lambda data: data.interleave(
        lambda each: tf.data.Dataset.from_tensor_slices(each["x"]), cycle_length=3, block_length=2
    ).batch(7),
    "random inside": lambda data: data.flat_map(lambda _: tf.data.Dataset.from_tensors(tf.random.uniform((2,)))),
    "unbatched": lambda data: data.batch(4).map(lambda each: each["x"] * 2.0).unbatch().batch(5),
    "zipped": lambda data: tf.data.Dataset.zip((data, tf.data.Dataset.range(9))).batch(4),
    "zipped with itself": lambda data: (
        tf.data.Dataset.zip(data, {"again": data, "n": tf.data.Dataset.range(9)})
        .shuffle(9)
        .map(lambda each, other: (each["x"], other["again"]["id"], other["n"]), num_parallel_calls=2)
        .batch(4, drop_remainder=True)
    ),
    "zipped batches": lambda data: tf.data.Dataset.zip(
        data.batch(4, drop_remainder=True), data.batch(3, drop_remainder=True)
    ),
    "numbered": lambda data: data.enumerate().shuffle(20).batch(3),
    "batches of sums": lambda data: data.batch(6).map(lambda each: tf.reduce_sum(each["x"])).batch(4),
    "batches of batches": lambda data: data.batch(2).padded_batch(3).map(lambda each: each["x"]),
    "rows of rows": lambda data: data.map(lambda each: each["x"]).unbatch().batch(7),
    "rows of mapped batches": lambda data: data.batch(4).map(lambda each: tf.reshape(each["x"], [-1])).unbatch(),
    "ragged": lambda data: (
        data.map(lambda each: each["x"][: each["id"] % 4]).ragged_batch(3).map(lambda r: r.to_tensor())
    ),
    "strings": lambda data: (
        data.map(lambda each: tf.strings.as_string(each["id"]))
        .batch(3)
        .map(lambda s: tf.strings.split(s, "1").to_tensor())
    ),
    "windows": lambda data: data.window(4).flat_map(lambda window: window["x"].batch(4)),
    "concatenated": lambda data: data.concatenate(data).concatenate(numbers()).batch(8),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_elements_and_their_order_are_as_without(name: str) -> None:
    made = []
    for trace in (lambda data: data, trace_data):
        tf.random.set_seed(5)
        dataset = PIPELINES[name](trace(numbers()))
        told = (dataset.element_spec, int(dataset.cardinality()))
        made.append((told, [tf.nest.map_structure(np.asarray, each) for each in dataset]))
    (spec, plain), (traced_spec, traced) = made
    assert traced_spec == spec
    assert len(traced) == len(plain) > 0
    for one, other in zip(plain, traced, strict=True):
        tf.nest.map_structure(np.testing.assert_array_equal, one, other)


@pytest.mark.parametrize("seed", [None, 3])
def test_shuffling_and_random_numbers_draw_what_they_do_without(seed: int | None) -> None:
    made = []
    for trace in (lambda data: data, trace_data):
        tf.random.set_seed(7)
        zipped = tf.data.Dataset.zip(trace(numbers()), trace(numbers())).shuffle(20, seed=seed)
        noise = zipped.map(lambda each, _: noisy(each)).batch(6).repeat(2)
        made.append([np.asarray(x) for x, _ in noise] + [np.asarray(tf.random.uniform([3]))])
    for plain, traced in zip(*made, strict=True):
        np.testing.assert_array_equal(plain, traced)


def zipped_rows(data: Any, others: Any) -> Any:
    return tf.data.Dataset.zip((data, {"other": others}))


@pytest.mark.parametrize(
    "pipeline",
    [
        lambda one, other: zipped_rows(one, other).shuffle(12, seed=1).batch(5).prefetch(2),
        lambda one, other: zipped_rows(one.batch(6), other.batch(6)),
        lambda one, other: zipped_rows(one, other).batch(4).unbatch().batch(5).map(lambda x, y: (x, y)),
        lambda one, other: zipped_rows(one, other).map(lambda x, y: (x, y), num_parallel_calls=4).repeat(2).batch(5),
    ],
)
def test_zipped_rows_have_the_names_of_both_sides(pipeline: Callable[[Any, Any], Any]) -> None:
    others = numbers().skip(2).shuffle(20, seed=9)
    data = pipeline(trace_data(numbers(), "id"), trace_data(others, "id"))
    read = 0
    for one, other in data:
        pairs = zip(one["id"].numpy(), other["other"]["id"].numpy(), strict=True)
        assert origins_of([one["x"].numpy()]) == tuple(f"{left} + {right}" for left, right in pairs)
        read += len(one["id"])
    assert read % 18 == 0 < read


def test_sides_without_origins_add_none_and_batches_with_other_rows_have_those_of_the_whole() -> None:
    plain = tf.data.Dataset.range(20)
    assert type(tf.data.Dataset.zip(plain, plain)).__name__ == "_ZipDataset"
    (x, _), *_ = tf.data.Dataset.zip(trace_data(numbers()).map(lambda each: each["x"]), plain).batch(2)
    assert origins_of([x.numpy()]) == ("element 0", "element 1")
    one, other = trace_data(numbers()).batch(2), trace_data(numbers()).map(lambda each: each["x"] - 5.0).batch(3)
    _, x = next(iter(tf.data.Dataset.zip(one, other)))
    assert origins_of([x.numpy()])[2] == "element 0, element 1 + element 0, element 1, element 2 row 2"
    with pytest.raises(TypeError):
        tf.data.Dataset.zip([trace_data(plain), plain])


def test_rows_know_where_they_came_from_after_shuffling_and_mapping() -> None:
    data = trace_data(numbers()).shuffle(20).map(lambda each: (each["x"] * 2.0, each["id"])).batch(6).prefetch(3)
    for x, identifiers in data:
        assert origins_of([x.numpy()]) == tuple(f"element {i - 100}" for i in identifiers.numpy())


@pytest.mark.parametrize("key", ["id", lambda each: tf.strings.join(["no. ", tf.strings.as_string(each["id"])])])
def test_a_key_names_them(key: Any) -> None:
    batch = next(iter(trace_data(numbers(), key).map(lambda each: each["x"]).batch(3)))
    prefix = "" if key == "id" else "no. "
    assert origins_of([batch.numpy()]) == tuple(f"{prefix}{i}" for i in (100, 101, 102))


def test_files_and_records_name_them(tmp_path: Path) -> None:
    decoded = trace_data(records(tmp_path)).map(lambda each: tf.io.decode_raw(each, tf.float32)).batch(8)
    x, _ = [each.numpy() for each in decoded]
    assert origins_of([x])[0] == f"{tmp_path}/a.tfrecord record 0"
    assert origins_of([x])[7] == f"{tmp_path}/b.tfrecord record 1"


def test_names_of_files_name_what_is_read_from_them(tmp_path: Path) -> None:
    records(tmp_path)
    files = tf.data.Dataset.from_tensor_slices([f"{tmp_path}/b.tfrecord", f"{tmp_path}/a.tfrecord"])
    data = trace_data(files).interleave(tf.data.TFRecordDataset, cycle_length=2)
    (x,) = list(data.map(lambda each: tf.io.decode_raw(each, tf.float32)).batch(20))
    assert origins_of([x.numpy()])[:3] == tuple(
        f"{tmp_path}/{name} record {i}" for name, i in (("b.tfrecord", 0), ("a.tfrecord", 0), ("b.tfrecord", 1))
    )


def test_what_no_pipeline_gave_has_no_origin() -> None:
    list(trace_data(numbers()).map(lambda each: (each["x"], 1)).batch(4))
    assert origins_of([np.full((4, 3), -7.0, np.float32)]) == ()
    assert origins_of([np.ones(4, np.int32)]) == ()


def test_a_step_that_is_a_function_reads_it_like_any_other() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        sums = tf.constant(0.0)
        for each in dataset:
            sums += tf.reduce_sum(each["x"])
        return sums

    data = trace_data(numbers()).batch(4)
    assert isinstance(data, TracedDataset)
    assert float(total(data)) == float(total(numbers().batch(4)))
    assert int(data.cardinality()) == 5


@pytest.mark.parametrize(
    ("dataset", "key", "said"), [([1, 2], None, "list is no tf.data.Dataset"), (None, "name", "no feature 'name'")]
)
def test_mistakes_are_one_line(dataset: Any, key: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        trace_data(numbers() if dataset is None else dataset, key)


def test_rows_of_a_divided_batch_are_found_and_labels_alone_tell_nothing() -> None:
    data = trace_data(numbers()).map(lambda each: (each["x"] - 900.0, each["id"] * 0)).batch(10)
    x, labels = [[each.numpy() for each in batch] for batch in data][-1]
    assert origins_of([labels]) == ()
    assert origins_of([labels, x])[0] == "element 10"
    assert origins_of([x[3:5]]) == ("element 13", "element 14")


def test_asking_for_origins_is_none_of_the_programs_work(tmp_path: Path) -> None:
    data = trace_data(numbers()).map(lambda each: tf.where(each["id"] == 102, np.nan, each["x"])).batch(6)
    batch = next(iter(data)).numpy()

    def ask() -> None:
        assert origins_of([batch]) == tuple(f"element {i}" for i in range(6))
        assert WorkNotes.shared().at() == []

    assert record(tmp_path / "trace", ask).events == []
    with checking():
        ask()
