"""Origins go on where one dataset is made of several: each row has those of its own sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.dataset import TracedDataset, trace_data

JOINED: dict[str, Callable[..., Any]] = {
    "sampled": lambda one, other: tf.data.Dataset.sample_from_datasets([one, other], [0.6, 0.4], seed=4).batch(3),
    "chosen": lambda one, other: tf.data.Dataset.choose_from_datasets((one, other), tf.data.Dataset.range(2).repeat()),
    "of batches": lambda one, other: tf.data.Dataset.sample_from_datasets([one.batch(2), other.batch(3)], seed=4),
}


def read(dataset: Any) -> list[Any]:
    return [each.numpy().tolist() for each in dataset]


@pytest.mark.parametrize("name", JOINED)
def test_what_is_taken_from_several_has_the_number_of_its_dataset(name: str) -> None:
    made = []
    for trace in (lambda data: data, trace_data):
        tf.random.set_seed(5)
        one, other = trace(tf.data.Dataset.range(6)), trace(tf.data.Dataset.range(100, 106))
        dataset = JOINED[name](one, other)
        made.append((dataset.element_spec, int(dataset.cardinality()), read(dataset)))
    assert made[0] == made[1]
    assert isinstance(dataset, TracedDataset)
    for element, origins in dataset.pairs:
        told = [origin.decode() for origin in tf.reshape(origins, [-1]).numpy()]
        numbers = tf.reshape(element, [-1]).numpy()
        assert told == [f"element {number % 100} of dataset {number // 100}" for number in numbers]


def test_parts_of_one_dataset_need_no_number_and_have_one_name_once() -> None:
    data = trace_data(tf.data.Dataset.range(4))
    even, odd = data.filter(lambda n: n % 2 == 0), data.filter(lambda n: n % 2 == 1)
    chosen = tf.data.Dataset.choose_from_datasets([even, odd], tf.data.Dataset.range(2).repeat())
    assert [origin.numpy() for _, origin in chosen.pairs] == [f"element {n}".encode() for n in range(4)]
    zipped = tf.data.Dataset.zip(data.map(lambda n: n * 2), data.skip(1).concatenate(data.skip(3))).batch(4)
    (names,) = [origin.numpy().tolist() for _, origin in zipped.pairs]
    assert names == [b"element 0 + element 1", b"element 1 + element 2", b"element 2 + element 3", b"element 3"]


def test_where_one_has_no_origins_the_whole_has_none() -> None:
    plain, traced = tf.data.Dataset.range(3), trace_data(tf.data.Dataset.range(3))
    for datasets in ([plain, traced], [plain, plain], [traced.batch(1), traced.map(lambda n: n[tf.newaxis])]):
        dataset = tf.data.Dataset.sample_from_datasets(datasets, seed=1)
        assert not isinstance(dataset, TracedDataset)
        assert len(read(dataset)) == 6
    with pytest.raises(TypeError):
        tf.data.Dataset.sample_from_datasets(3)
