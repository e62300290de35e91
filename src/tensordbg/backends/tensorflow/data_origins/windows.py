"""Origins in the windows of a dataset: each window is a dataset of its own, whose elements have names again."""

from __future__ import annotations

from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.tracing.data_origins_own import called_like


class LostOriginsError(Exception):
    """A function made something of a dataset that has no origins; what was begun is made without them."""


def pairs_of(made: Any, traced: type[Any]) -> Any:
    """The elements and names of a dataset that a function of the program made.

    Raises:
        LostOriginsError: If it has none.
    """
    if not isinstance(made, traced):
        raise LostOriginsError
    return made.pairs


class Windows(tf.data.Dataset):  # type: ignore[misc]
    """A dataset of windows, as `tf.data.Dataset.window` makes it; what is not defined here is as without origins."""

    def __init__(self, plain: Any, pairs: Any, traced: type[Any]) -> None:
        """`pairs` has the windows with windows of the names; `traced` is the class of datasets with origins."""
        self._plain = plain
        self._pairs = pairs
        self._traced = traced
        super().__init__(plain._variant_tensor)  # noqa: SLF001  what every dataset is made from

    def _inputs(self) -> list[Any]:
        return [self._plain]

    @property
    def element_spec(self) -> Any:
        """See `tf.data.Dataset`."""
        return self._plain.element_spec

    def flat_map(self, map_func: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        try:
            return self._traced(self._pairs.flat_map(self._read(map_func), **kwargs))
        except LostOriginsError:
            return super().flat_map(map_func, **kwargs)

    def interleave(self, map_func: Any, *args: Any, **kwargs: Any) -> Any:
        """See `tf.data.Dataset`."""
        try:
            return self._traced(self._pairs.interleave(self._read(map_func), *args, **kwargs))
        except LostOriginsError:
            return super().interleave(map_func, *args, **kwargs)

    def _read(self, map_func: Any) -> Any:
        """The program's function of a window, given datasets with origins."""

        def read(window: Any, names: Any) -> Any:
            same = object()
            parts = tf.nest.map_structure(lambda part: self._traced(tf.data.Dataset.zip(part, names), same), window)
            made = map_func(*parts) if isinstance(parts, tuple) else map_func(parts)
            return pairs_of(made, self._traced)

        return called_like(read, map_func)
