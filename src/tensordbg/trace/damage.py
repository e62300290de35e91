"""Unreadable bytes: whatever a damaged file does to a parser, the user sees one `TraceError`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from tensordbg.errors import TraceError

_SYMPTOMS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
    pa.ArrowException,
)
"""What NumPy, json and pyarrow raise when they are fed what they do not understand."""


@contextmanager
def reading_of(path: Path) -> Iterator[None]:
    """Turns whatever goes wrong in the block into a `TraceError` that names the file.

    Raises:
        TraceError: In place of any error that damaged bytes may cause. `FileNotFoundError` is let through: a file may
            vanish because the trace was sealed meanwhile.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise damaged(path, error.strerror or str(error)) from error
    except _SYMPTOMS as error:
        raise damaged(path, str(error) or type(error).__name__) from error


def damaged(path: Path, why: str) -> TraceError:
    """The error for a file that can't be read, in one line."""
    reason = " ".join(why.split())[:200]
    return TraceError(f"{path}: can't be read ({reason}); restore the file from a copy, or record again")


def missing(path: Path) -> TraceError:
    """The error for a file that a trace should have."""
    return TraceError(f"{path}: is missing, but the trace names it; restore the file from a copy, or record again")
