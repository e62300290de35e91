"""The end of a program: an operation that raised, noted on its exception until that is known to be the end.

Most errors are caught: the end of a dataset, a file that isn't there. So where an operation raises, no more than how to
find out about it is noted, on the exception itself; it is asked for when the exception has left the program.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from tensordbg.model import NONE, StatedInput, StatedTensor
from tensordbg.packages import FRAMEWORKS, is_of

_NOTE = "_tensordbg_failure"
_MOST = 100
"""So many exceptions that came from each other are looked at."""


@dataclass(frozen=True)
class FailedOperation:
    """An operation that raised."""

    error: str
    """Name of the exception's class."""
    message: str
    site: int = NONE
    """The operation, `NONE` where it is not known; one without a name and a type is a place in Python code."""
    execution: int = NONE
    """Of the eager operation, or of the call of the function that it is in."""
    inputs: tuple[StatedInput, ...] = ()
    """Where nothing else tells of them, as nothing was computed."""
    tensors: tuple[StatedTensor, ...] = ()
    """The same inputs, and behind them what they were made from; empty where the trace tells it."""
    nodes: tuple[str, ...] = ()
    """The names of operations that the message bears; one may be of a function that an input pipeline runs."""
    layer: str = ""
    """The layer in which it came up, by its path, empty where it came up in none."""
    item: str = ""
    """The item of a dataset whose code raised, empty where that is not known."""
    item_stack: int = NONE
    """Of the code that gave the item, where that is not known otherwise."""

    python_calls: tuple[tuple[StatedInput, ...], ...] = ()
    """The inputs of those calls of Python functions by graphs whose error the message tells."""

    def to_json(self) -> dict[str, object]:
        """As it stands in the trace."""
        return asdict(self)


Telling = Callable[[BaseException], FailedOperation]
"""Says what failed, given the exception that ended the program."""


def note_failure(error: BaseException, tell: Telling) -> None:
    """Notes how to find out what failed; the first to note it is nearest to the operation."""
    with contextlib.suppress(AttributeError):
        if not hasattr(error, _NOTE):
            setattr(error, _NOTE, tell)


def failure_behind(error: BaseException) -> FailedOperation | None:
    """The operation that an exception comes from, None where none raised it."""
    for each in errors_behind(error):
        tell: Telling | None = getattr(each, _NOTE, None)
        if tell is not None:
            return tell(error)
    return None


def errors_behind(error: BaseException) -> Iterator[BaseException]:
    """Yields an exception and those that it was raised for, also where a framework hides that."""
    seen: list[BaseException] = []
    following: BaseException | None = error
    while following is not None and len(seen) < _MOST and all(following is not each for each in seen):
        seen.append(following)
        yield following
        hidden = following.__suppress_context__ and not is_of(type(following).__module__, FRAMEWORKS)
        following = following.__cause__ or (None if hidden else following.__context__)
