"""Makes the lookup tables that a captured step takes, filled with what was captured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensordbg.backends.tensorflow.functions.tables import changed_tables
from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import context
from tensordbg.capture.reader import Capture, Table
from tensordbg.errors import CaptureError


class Tables:
    """Those of one capture."""

    def __init__(self, capture: Capture, library: Any) -> None:
        """Makes and fills them.

        Raises:
            CaptureError: If TensorFlow has no such table.
        """
        self._stored = capture.tables()
        changed = changed_tables(library, self._stored)
        self._made: dict[int, Any] = {}
        self._changed = {argument: self._stored[argument] for argument in changed}
        import tensorflow as tf

        for argument, stored in self._stored.items():
            try:
                self._made[argument] = _mutable(stored) if argument in changed else _static(stored)
            except (tf.errors.OpError, ValueError, TypeError) as error:
                first = str(error).splitlines()[0]
                raise CaptureError(
                    f"{capture.path} has a lookup table that can't be made here: {first}; take another capture"
                ) from None
        self.fill()

    @property
    def handles(self) -> Mapping[int, Any]:
        """By the argument that each of them is."""
        return {argument: table.resource_handle for argument, table in self._made.items()}

    def fill(self) -> None:
        """Gives those that the step changes what they had before it."""
        for argument, stored in self._changed.items():
            handle = self._made[argument].resource_handle
            hooks().entries.fast_path(
                context.context(), "LookupTableImportV2", None, handle, *_tensors(stored)
            )  # in place of all that was in it


def _static(stored: Table) -> Any:
    import tensorflow as tf

    keys, values = _tensors(stored)
    if values.shape.rank != 1:
        return _mutable_of(keys, values)
    default = tf.zeros([], values.dtype)
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default)


def _mutable(stored: Table) -> Any:
    return _mutable_of(*_tensors(stored))


def _mutable_of(keys: Any, values: Any) -> Any:
    import tensorflow as tf

    default = tf.zeros(values.shape[1:], values.dtype)
    table = tf.lookup.experimental.MutableHashTable(keys.dtype, values.dtype, default)
    table.insert(keys, values)
    return table


def _tensors(stored: Table) -> tuple[Any, Any]:
    import tensorflow as tf

    return tf.constant(stored.keys), tf.constant(stored.values)
