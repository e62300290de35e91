"""Tells all who wait for it that NumPy takes the elements of an eager tensor: a recording and a check at once.

The compiled part has one such watch in a process.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow.internals import eager_tensors

Told = Callable[[Any], None]

_WATCHERS: list[tuple[dict[int, Any], Told]] = []
_ALWAYS = {0: None}
"""What the compiled part takes for something that is waited for."""


def watch_buffers(awaited: dict[int, Any], told: Told) -> bool:
    """Has a function called with each eager tensor whose memory is asked for, while a dictionary is not empty.

    Args:
        awaited: The dictionary.
        told: The function; what it raises is dropped.

    Returns:
        Whether that can be.
    """
    _WATCHERS.append((awaited, told))
    return _watch()


def unwatch_buffers(awaited: dict[int, Any]) -> None:
    """Has the function that waits for these called no longer."""
    _WATCHERS[:] = [each for each in _WATCHERS if each[0] is not awaited]
    _native.unwatch_buffers()
    if _WATCHERS:
        _watch()


def _watch() -> bool:
    kind, _ = eager_tensors()
    awaited, told = _WATCHERS[0] if len(_WATCHERS) == 1 else (_ALWAYS, _tell_all)
    return bool(_native.watch_buffers(kind, awaited, told))


def _tell_all(tensor: Any) -> None:
    for awaited, told in _WATCHERS:
        if awaited:
            told(tensor)
