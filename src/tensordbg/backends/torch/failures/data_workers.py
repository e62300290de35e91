"""Has the workers of a `DataLoader` say of which item an error is: their messages alone come to the program's process.

A worker is a fork, where nothing is recorded, but which has what is set here. What it hands on is an
`ExceptionWrapper`, which `torch.utils.data._utils.worker` makes, in all versions of PyTorch since 1.2; where that
is missing no item is told. A worker that is started anew (`multiprocessing_context="spawn"`, or `"forkserver"`) has
nothing of this process: its loop is begun by `WatchedLoop`, which sets the same there. Of those see also `sent_items`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from tensordbg.backends.torch.failures.data_items import OF_WORKER, item_behind

_NAME, _LOOP = "ExceptionWrapper", "_worker_loop"


class _Plain:
    """PyTorch's own loop, in a process where it is replaced."""

    loop: Callable[..., Any] | None = None


class WatchedLoop:
    """The loop of a worker, in whatever process it runs; it is pickled by its class alone."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Runs PyTorch's own."""
        if _Plain.loop is not None:
            return _Plain.loop(*args, **kwargs)
        from torch.utils.data import _utils

        loop: Any = getattr(_utils.worker, _LOOP)
        with contextlib.suppress(Exception):  # the worker shall run whatever can't be set
            watch_errors()
        return loop(*args, **kwargs)


def watch_workers() -> Callable[[], None]:
    """Has workers say it that are started from now on, and returns what ends that."""
    from torch.utils.data import _utils

    worker: Any = _utils.worker
    end, plain, loop = watch_errors(), getattr(worker, _LOOP, None), WatchedLoop()
    if plain is None or isinstance(plain, WatchedLoop):
        return end
    _Plain.loop = plain
    setattr(worker, _LOOP, loop)

    def undo() -> None:
        if getattr(worker, _LOOP, None) is loop:
            setattr(worker, _LOOP, plain)
            _Plain.loop = None
        end()

    return undo


def watch_errors() -> Callable[[], None]:
    """Has what this process hands on of an error in its loop say the item, and returns what ends that."""
    from torch.utils.data import _utils

    worker: Any = _utils.worker
    plain = getattr(worker, _NAME, None)
    if plain is None:
        return lambda: None

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        wrapped = plain(*args, **kwargs)
        error = sys.exc_info()[1]
        with contextlib.suppress(Exception):  # this runs where the program's error is handed on
            if error is not None and (item := item_behind(error)).name:
                setattr(wrapped, OF_WORKER, item)
        return wrapped

    setattr(worker, _NAME, wrapper)

    def undo() -> None:
        if getattr(worker, _NAME, None) is wrapper:
            setattr(worker, _NAME, plain)

    return undo
