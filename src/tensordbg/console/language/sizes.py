"""How large a result would be, found out before it is computed: an expression must not take the program's memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tensordbg.errors import UsageError

MOST = 50_000_000
"""So many elements a result may have, unless what it is computed from has more."""


def _of_shape(shape: Any, *_: Any) -> float:
    return float(np.prod(np.asarray(shape, dtype=np.float64)))


def _of_square(rows: Any, columns: Any = None, *_: Any) -> float:
    return float(rows) * float(rows if columns is None else columns)


def _of_range(*ends: Any) -> float:
    first, last, stride = (0, ends[0], 1) if len(ends) == 1 else (*ends, 1)[:3]
    return abs((float(last) - float(first)) / float(stride)) if stride else 0.0


def _of_steps(_: Any, __: Any, number: Any = 50, *___: Any) -> float:
    return float(number)


def _of_pair(first: Any, second: Any, *_: Any) -> float:
    return float(np.size(first)) * float(np.size(second))


def _of_repeats(array: Any, repeats: Any, *_: Any) -> float:
    given = np.asarray(repeats, dtype=np.float64)
    return float(np.size(array)) * float(given.prod())


def _of_largest(array: Any, *_: Any) -> float:
    given = np.asarray(array)
    return float(given.max()) if given.size and given.dtype.kind in "iu" else 0.0


def _of_padding(array: Any, width: Any, *_: Any) -> float:
    most = float(np.max(np.asarray(width, dtype=np.float64)))
    return float(np.prod([extent + 2 * most for extent in np.shape(array)], dtype=np.float64))


def _of_broadcast(_: Any, shape: Any, *__: Any) -> float:
    return _of_shape(shape)


_SIZES: Mapping[str, Callable[..., float]] = {
    "zeros": _of_shape,
    "ones": _of_shape,
    "full": _of_shape,
    "eye": _of_square,
    "identity": _of_square,
    "arange": _of_range,
    "linspace": _of_steps,
    "logspace": _of_steps,
    "outer": _of_pair,
    "kron": _of_pair,
    "tile": _of_repeats,
    "repeat": _of_repeats,
    "bincount": _of_largest,
    "pad": _of_padding,
    "broadcast_to": _of_broadcast,
}
"""Of functions whose results may be larger than what they are given."""


_COUNTED = frozenset({"split", "diff", "histogram", "round", "around", "linspace", "logspace", "bincount"})
_COUNTED_FOURIER = "fft."
_MOST_COUNTED = 10_000_000
"""Functions that are told by a number how often something is done, and the largest such number."""


def check_call(name: str, given: list[Any], named: Mapping[str, Any]) -> None:
    """Whether the result of a function stays small enough.

    Raises:
        UsageError: If it does not, or the function can't be given this.
    """
    if name in _SIZES and given:
        _check(_SIZES[name](*given), MOST)
    if name in _COUNTED or name.startswith(_COUNTED_FOURIER):
        for each in (*given, *named.values()):
            if isinstance(each, int) and abs(each) > _MOST_COUNTED:
                raise UsageError(
                    f"{name}() is given {each}, and at most {_MOST_COUNTED:,} may be; choose a smaller one"
                )


def check_together(*values: Any) -> None:
    """Whether values stay small enough where each is spread to the shape of all.

    Raises:
        UsageError: If they do not.
        ValueError: If their shapes do not fit each other.
    """
    largest = max(map(np.size, values))
    together = np.prod(np.broadcast_shapes(*map(np.shape, values)), dtype=np.float64)
    _check(float(together), max(MOST, largest))


def _check(elements: float, most: int) -> None:
    if elements > most:
        raise UsageError(
            f"a part of it has {elements:,.0f} elements, and at most {most:,} may be; compute with a slice"
        )
