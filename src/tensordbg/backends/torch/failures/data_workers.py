"""Has the workers of a `DataLoader` say of which item an error is: their messages alone come to the program's process.

A worker is a fork, where nothing is recorded, but which has what is set here. What it hands on is an
`ExceptionWrapper`, which `torch.utils.data._utils.worker` makes, in all versions of PyTorch since 1.2; where that
is missing no item is told. Of workers that are started otherwise see `sent_items`.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Any

from tensordbg.backends.torch.failures.data_items import OF_WORKER, item_behind

_NAME = "ExceptionWrapper"


def watch_workers() -> Callable[[], None]:
    """Has workers say it that are started from now on, and returns what ends that."""
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
