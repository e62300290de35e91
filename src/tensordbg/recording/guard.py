"""Where code of ours runs inside the user's program, a fault in it must not get out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator


@contextlib.contextmanager
def guarded(what: str, fail: Callable[[str, BaseException], None]) -> Iterator[None]:
    """Hands a fault to `fail(what, error)`; what is meant for the program, such as `KeyboardInterrupt`, passes."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  whatever it is, the program must go on
        fail(what, error)
