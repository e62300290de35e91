"""Iterators of pipelines with origins: saved and refused as they are without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.data_origins.dataset import trace_data
from tests.backends.tensorflow.recorded import record

Pipeline = Callable[[Any], Any]
Ways = Sequence[tuple[bool, bool]]
"""Whether it has origins, and whether it is recorded."""
TABLE = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, tf.constant(0, tf.int64))
OFFSET = tf.Variable(1, dtype=tf.int64)


@tf.function
def looked_up(x: Any) -> Any:
    return TABLE.lookup(x)


@tf.function
def noisy(x: Any) -> Any:
    return x + tf.cast(tf.random.uniform([]) * 9.0, tf.int64)


def printed(x: Any) -> Any:
    if x > 100:
        tf.print(x)
    return x


PIPELINES: dict[str, Pipeline] = {
    "plain": lambda data: data,
    "shuffled": lambda data: data.shuffle(20, seed=3).map(lambda x: x * 2, num_parallel_calls=2).batch(3).prefetch(2),
    "filtered": lambda data: data.filter(lambda x: x % 3 != 0).repeat(2).batch(4),
    "zipped": lambda data: tf.data.Dataset.zip(data, data.map(lambda x: -x)).batch(2).unbatch().batch(3),
    "interleaved": lambda data: data.interleave(
        lambda x: tf.data.Dataset.range(x).map(lambda y: y + 1), cycle_length=3
    ).batch(4),
    "windows": lambda data: data.window(3).flat_map(lambda window: window.batch(3)).map(lambda x: x + 1),
    "found": lambda data: data.map(TABLE.lookup),
    "printed": lambda data: data.map(printed),
    "cached": lambda data: data.cache().shuffle(4, seed=1).batch(2),
}
REFUSED: dict[str, Pipeline] = {
    "found in a function": lambda data: data.map(looked_up),
    "variable": lambda data: data.map(lambda x: x + OFFSET),
    "random": lambda data: data.map(lambda x: tf.random.uniform([]) + tf.cast(x, tf.float32)),
    "random in a function": lambda data: data.batch(2).map(noisy),
    "filtered at random": lambda data: data.filter(lambda x: tf.random.uniform([]) > 0.5),
    "python": lambda data: data.map(lambda x: tf.py_function(lambda y: y, [x], tf.int64)),
    "in a branch": lambda data: data.map(lambda x: tf.cond(x > 1, lambda: x, lambda: OFFSET + x)),
    "inside": lambda data: data.flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: y + OFFSET)),
    "behind windows": lambda data: data.window(3).flat_map(lambda window: window.batch(3)).map(lambda x: x + OFFSET),
    "generator": lambda data: tf.data.Dataset.zip(
        data, tf.data.Dataset.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec((), tf.int32))
    ),
}

RECORDED = ("variable", "random in a function", "python", "inside")


def saved(data: Any, folder: Path) -> tuple[list[Any], str | list[list[Any]], list[str]]:
    """What comes before the iterator is saved, after it was and after it is restored (or why not), and the files."""
    iterator = iter(data)
    first = [np.asarray(each) for each in tf.nest.flatten(next(iterator))]
    try:
        path = tf.train.Checkpoint(iterator=iterator).save(str(folder / "saved"))
    except tf.errors.OpError as error:
        # Of two operations that it refuses TensorFlow names the one that it comes upon first.
        said = str(error).replace("StatefulPartitionedCall", "RandomUniform")
        return first, f"{type(error).__name__}: {said}", sorted(each.name for each in folder.iterdir())
    rests = [[np.asarray(each) for each in tf.nest.flatten(list(iterator))]]
    again = iter(data)
    tf.train.Checkpoint(iterator=again).restore(path)
    rests.append([np.asarray(each) for each in tf.nest.flatten(list(again))])
    return first, rests, sorted(each.name for each in folder.iterdir())


def made_of(pipeline: Pipeline, tmp_path: Path, ways: Ways) -> list[Any]:
    """What `saved` gives of a pipeline, each time another way."""
    made = []
    for traced, recorded in ways:
        folder = tmp_path / f"{traced}-{recorded}"
        folder.mkdir()
        with tensordbg.record(tmp_path / f"trace-{traced}") if recorded else nullcontext():
            data = tf.data.Dataset.range(5, 20)
            made.append(saved(pipeline(trace_data(data) if traced else data), folder))
    return made


@pytest.mark.parametrize("name", PIPELINES)
def test_a_reading_with_origins_is_resumed_where_it_was_saved(name: str, tmp_path: Path) -> None:
    plain, traced = made_of(PIPELINES[name], tmp_path, [(False, False), (True, False)])
    np.testing.assert_equal(traced, plain)
    np.testing.assert_equal(plain[1][1], plain[1][0])


@pytest.mark.parametrize("name", ["shuffled", "interleaved", "windows", "printed"])
def test_a_recorded_reading_is_resumed_where_it_was_saved(name: str, tmp_path: Path) -> None:
    plain, recorded, both = made_of(PIPELINES[name], tmp_path, [(False, False), (False, True), (True, True)])
    np.testing.assert_equal(recorded, plain)
    np.testing.assert_equal(both, plain)


def test_what_was_made_while_recording_is_saved_afterwards(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "trace"):
        data = PIPELINES["interleaved"](tf.data.Dataset.range(5, 20))
    _, (rest, again), _ = saved(data, tmp_path)
    np.testing.assert_equal(again, rest)


@pytest.mark.parametrize("name", REFUSED)
def test_what_tensorflow_refuses_without_is_refused_in_the_same_words(name: str, tmp_path: Path) -> None:
    ways = [(False, False), (True, False), *([(False, True)] if name in RECORDED else [])]
    plain, *others = [made[1:] for made in made_of(REFUSED[name], tmp_path, ways)]
    assert others == [plain] * len(others)
    assert plain[0].startswith("FailedPreconditionError")


@pytest.mark.parametrize("policy", tf.data.experimental.ExternalStatePolicy)
def test_the_policy_of_the_program_is_followed(policy: Any, tmp_path: Path) -> None:
    options = tf.data.Options()
    options.experimental_external_state_policy = policy
    made = []
    for name in ("shuffled", "variable"):
        data = (PIPELINES | REFUSED)[name](trace_data(tf.data.Dataset.range(20))).with_options(options)
        assert data.options().experimental_external_state_policy == policy
        made.append(isinstance(saved(data, tmp_path)[1], list))
    assert made == [True, policy != tf.data.experimental.ExternalStatePolicy.FAIL]


def test_asking_is_none_of_the_programs_work(tmp_path: Path) -> None:
    iterator = iter(PIPELINES["found"](trace_data(tf.data.Dataset.range(4))))
    recorded = record(tmp_path / "trace", lambda: tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "saved")))
    types = [site.op_type for site in recorded.sites.values()]
    assert types.count("SerializeIterator") == 1
    assert "AnonymousIteratorV3" not in types
