"""Tables that functions take are told from variables, with their types, and which are changed, through all calls."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.functions.tables import changed_tables, types_of_tables
from tensordbg.backends.tensorflow.handles import handles_of_tables
from tests.backends.tensorflow.functions.test_passed_handles import library_of


def test_tables_are_found_through_calls_and_loops() -> None:
    words = tf.constant(["a", "b"])
    fixed = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(words, tf.constant([1, 2], tf.int64)), 0)
    growing = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
    weight = tf.Variable(2.0)

    @tf.function
    def called(texts: Any) -> Any:
        return fixed.lookup(texts)

    @tf.function
    def step(texts: Any) -> Any:
        numbers = called(texts)
        for _ in tf.range(2):
            growing.insert(numbers, tf.cast(numbers, tf.float32) * weight)
        return numbers

    concrete = step.get_concrete_function(tf.TensorSpec([None], tf.string))
    handles = handles_of_tables(concrete.graph)
    by_table = {id(handle()): number for number, handle in handles.items()}
    first, second = by_table[id(fixed.resource_handle)], by_table[id(growing.resource_handle)]
    assert len(handles) == 2
    kinds = {name: dtype.as_datatype_enum for name, dtype in vars(tf.dtypes).items() if isinstance(dtype, tf.DType)}
    library = library_of(concrete)
    assert types_of_tables(library, handles) == {
        first: (kinds["string"], kinds["int64"]),
        second: (kinds["int64"], kinds["float32"]),
    }
    assert changed_tables(library, handles) == {second}
