"""Traces the elements of an input pipeline: `trace_data` has each carry the name of where it came from.

The name rides along beside the element through everything that is done with the dataset, and is taken off again where
the dataset is read, which then notes it. So elements, their order and their structure are what they are without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.data_origins.joinings import see_joinings
from tensordbg.backends.tensorflow.data_origins.names import for_rows, joined, kept_as, noted_as
from tensordbg.backends.tensorflow.data_origins.notes import BatchNotes, WorkNotes
from tensordbg.backends.tensorflow.data_origins.sources import with_origins
from tensordbg.backends.tensorflow.data_origins.windows import LostOriginsError, Windows, pairs_of
from tensordbg.backends.tensorflow.saved_iterators import see_savings
from tensordbg.backends.tensorflow.tracing.data_origins_own import (
    all_own,
    called_like,
    named_as_parameters,
    own_since,
    until_now,
)
from tensordbg.errors import UsageError
from tensordbg.model import ELEMENT_ORIGIN

Key = str | Callable[..., Any]


def trace_data(dataset: Any, key: Key | None = None) -> Any:
    """Marks each element of a dataset with its origin, and keeps that through what is done with the dataset later.

    Call it where the elements are made, before they are shuffled, batched or mapped:

        dataset = tensordbg.tensorflow.trace_data(tf.data.Dataset.from_tensor_slices(files))
        dataset = dataset.shuffle(1000).map(load, num_parallel_calls=8).batch(32).prefetch(2)

    A capture of `tdbg trap` then names the origin of each row of its batch. If the pipeline fails, or hangs in a
    function that it maps, what it was at is said on standard error.

    Args:
        dataset: A `tf.data.Dataset` of single elements.
        key: What names an element: the name of one of its features, or a function of the element as `map` would call
            it that gives a text or a number. By default the file and the record where files of records or lines are
            read, the element itself where it is a short text, such as the name of a file, else its number.

    Returns:
        A dataset of the same elements in the same order.

    Raises:
        UsageError: If it is no dataset, or there is no such feature.
    """
    if not isinstance(dataset, tf.data.Dataset):
        raise UsageError(f"{type(dataset).__name__} is no tf.data.Dataset; only input pipelines can be traced")
    if isinstance(key, str) and not (isinstance(dataset.element_spec, dict) and key in dataset.element_spec):
        raise UsageError(f"the elements have no feature {key!r}; give a function of the element")
    WorkNotes.shared().watch()
    return TracedDataset(with_origins(dataset, key), object())


class TracedDataset(tf.data.Dataset):  # type: ignore[misc]
    """A dataset whose elements carry their origins.

    What is not defined here is that of any dataset: its elements no longer carry origins after it.
    """

    def __init__(self, pairs: Any, source: object = None) -> None:
        """`pairs` has the elements, each with the names of its origins: one, or one for each row of a batch.

        What was made of one traced dataset, or of one window, has the same `source`, and so names that are comparable.
        """
        self.pairs = pairs
        self.source = source
        self._read = BatchNotes.shared().noted(pairs)
        super().__init__(self._read._variant_tensor)  # noqa: SLF001  what every dataset is made from

    def _inputs(self) -> list[Any]:
        return [self._read]

    @property
    def element_spec(self) -> Any:
        """See `tf.data.Dataset`: without the origins."""
        return self._read.element_spec

    def map(self, map_func: Any, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        work = WorkNotes.shared().during(map_func, "map")

        def mapped(element: Any, origin: Any) -> Any:
            return work(element, origin), origin

        return self._of(self.pairs.map(called_like(mapped, map_func), *args, **kwargs))

    def filter(self, predicate: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        work = WorkNotes.shared().during(predicate, "filter")
        return self._of(self.pairs.filter(work, **kwargs))

    def take_while(self, predicate: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        work = WorkNotes.shared().during(predicate, "take_while")
        return self._of(self.pairs.take_while(work, **kwargs))

    def flat_map(self, map_func: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.flat_map(_inner(map_func), **kwargs))

    def interleave(self, map_func: Any, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.interleave(_inner(map_func), *args, **kwargs))

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, **kwargs: Any
    ) -> Any:
        """See `tf.data.Dataset`."""
        shapes: Any = None if padded_shapes is None else (padded_shapes, [])
        values: Any = None if padding_values is None else (padding_values, "")
        return self._of(self._named_once().padded_batch(batch_size, shapes, values, **kwargs))

    def cache(self, filename: Any = "", **kwargs: Any) -> Any:
        """See `tf.data.Dataset`; a cache in a file is as without origins, which are lost then."""
        if isinstance(filename, str) and not filename:
            return self._of(self.pairs.cache(**kwargs))
        return super().cache(filename, **kwargs)

    def concatenate(self, dataset: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`; origins go on where both have them."""
        if isinstance(dataset, TracedDataset) and dataset._rank == self._rank:  # noqa: SLF001  of the same class
            return self._of(self.pairs.concatenate(dataset.pairs, **kwargs))
        return super().concatenate(dataset, **kwargs)

    def batch(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self._named_once().batch(*args, **kwargs))

    def unbatch(self, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        if not self._has_rows():
            return super().unbatch(**kwargs)  # which rows there are is not seen
        return self._of(self._named_by_row().unbatch(**kwargs))

    def shuffle(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.shuffle(*args, **kwargs))

    def prefetch(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.prefetch(*args, **kwargs))

    def repeat(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.repeat(*args, **kwargs))

    def take(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.take(*args, **kwargs))

    def skip(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.skip(*args, **kwargs))

    def shard(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.shard(*args, **kwargs))

    def with_options(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.with_options(*args, **kwargs))

    def ragged_batch(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self._named_once().ragged_batch(*args, **kwargs))

    def rebatch(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        if not self._has_rows():
            return super().rebatch(*args, **kwargs)
        return self._of(self._named_by_row().rebatch(*args, **kwargs))

    def ignore_errors(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        return self._of(self.pairs.ignore_errors(*args, **kwargs))

    def scan(self, initial_state: Any, scan_func: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`; a result has the name of the element that was seen last."""

        def scanned(state: Any, pair: Any) -> Any:
            element, origin = pair
            begun = until_now()
            kept = kept_as(origin, ELEMENT_ORIGIN)
            own_since(begun, origin)
            state, made = scan_func(state, element)
            return state, (made, kept)

        return self._of(self.pairs.scan(initial_state, called_like(scanned, scan_func), **kwargs))

    def window(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`; origins go on in what `flat_map` and `interleave` make of the windows."""
        return Windows(super().window(*args, **kwargs), self.pairs.window(*args, **kwargs), TracedDataset)

    def group_by_window(self, key_func: Any, reduce_func: Any, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`; `bucket_by_sequence_length` is made of it."""
        key_of = WorkNotes.shared().during(key_func, "group_by_window")

        def reduced(key: Any, window: Any) -> Any:
            return pairs_of(reduce_func(key, TracedDataset(window)), TracedDataset)

        try:
            return self._of(self.pairs.group_by_window(key_of, called_like(reduced, reduce_func), *args, **kwargs))
        except LostOriginsError:
            return super().group_by_window(key_func, reduce_func, *args, **kwargs)

    def rejection_resample(self, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`; without origins, as TensorFlow makes it of running sums over all elements."""
        return self._read.rejection_resample(*args, **kwargs)

    def _of(self, pairs: Any) -> TracedDataset:
        """A dataset made of this one."""
        return TracedDataset(pairs, self.source)

    @property
    def _rank(self) -> int | None:
        """0 where each element has one name, 1 where each of its rows has one."""
        rank: int | None = self.pairs.element_spec[1].shape.rank
        return rank

    def _has_rows(self) -> bool:
        """Whether an element is known to have rows, so that each can have a name."""
        flat = tf.nest.flatten(self.element_spec)
        return all(isinstance(spec, tf.TensorSpec) and spec.shape.rank for spec in flat)

    def _named_by_row(self) -> Any:
        """The pairs with one name for each row of an element."""

        def named(element: Any, origin: Any) -> Any:
            all_own()
            return element, for_rows(origin, tf.nest.flatten(element)[0])

        return self.pairs.map(named)

    def _named_once(self) -> Any:
        """The pairs with one name for each element: batches need not have the same number of rows to be batched."""

        def named(element: Any, origin: Any) -> Any:
            all_own()
            return element, joined(origin)

        return self.pairs if self._rank == 0 else self.pairs.map(named)


def _inner(map_func: Any) -> Any:
    """The datasets that a function makes of elements, with the number of the record behind the name of the element."""

    def of(element: Any, origin: Any) -> Any:
        named_as_parameters(map_func, element)
        made = map_func(*element) if isinstance(element, tuple) else map_func(element)
        begun = until_now()
        read = WorkNotes.shared().reading(made, joined(noted_as(origin, ELEMENT_ORIGIN)))
        own_since(begun, origin)
        return read

    return called_like(of, map_func)


# When a dataset is traced it may be late: in `Dataset.zip(trace_data(x), ...)` the function is looked up before that.
see_joinings(TracedDataset)
see_savings()
