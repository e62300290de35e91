"""Reads lookup tables for a capture: their keys and values, by their handles alone."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow.functions.tables import EXPORT, types_of_tables
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context, record
from tensordbg.trapping.capture import CapturedTable


def reading_tables(handles: Mapping[int, weakref.ref[Any]]) -> Callable[[bytes], Sequence[CapturedTable]]:
    """Gives what reads the tables of a function, whose handles these are by argument, given its library."""

    def read(library: bytes) -> Sequence[CapturedTable]:
        from tensorflow.core.framework import function_pb2

        functions = function_pb2.FunctionDefLibrary.FromString(library) if handles else None
        types = types_of_tables(functions, handles) if handles else {}
        found = []
        for argument, kept in handles.items():
            handle = kept()
            if handle is not None and argument in types:
                found.extend(_contents(argument, handle, types[argument]))
        return found

    return read


def _contents(argument: int, handle: Any, types: tuple[int, int]) -> list[CapturedTable]:
    import tensorflow as tf

    words = (EXPORT, None, handle, "Tkeys", types[0], "Tvalues", types[1])
    with record.stop_recording():
        try:
            keys, values = hooks().entries.fast_path(context.context(), *words)
        except tf.errors.OpError:
            return []  # no table, or one that has not been filled
    return [CapturedTable(argument, np.array(keys), np.array(values))]
