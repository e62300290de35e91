"""An engine as the analysis sees it: it maps a function over items, on workers of which nothing is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from tensordbg import __version__
from tensordbg.errors import UsageError

Item = TypeVar("Item")
Answer = TypeVar("Answer")

DIED = "the workers that read it died, one after the other"


@dataclass(frozen=True)
class Lost:
    """Stands for the answer on an item that no worker gave."""

    reason: str
    """In one line."""


class Engine(Protocol):
    """The workers of a cluster."""

    def map(self, function: Callable[[Item], Answer], items: Sequence[Item]) -> list[Answer | Lost]:
        """The answers of a function on items, in their order; it and all that goes to and fro can be pickled.

        An item whose worker dies goes to another one; where that happens again and again, it is lost. What the
        function raises is raised here.

        Raises:
            UsageError: If the cluster is gone, or has no workers that could answer.
        """


def one_line(error: BaseException) -> str:
    """The message of an error of somebody else's, short and in one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".rstrip(": ")


def lacking(address: str, error: BaseException | None) -> UsageError | None:
    """The error to tell where a worker of the engine at an address could not import what it was to run."""
    while error is not None:
        if isinstance(error, ImportError):
            return UsageError(
                f"{address}: a worker lacks what it is to run ({error}); `pip install tensordbg=={__version__}` where "
                "the workers run"
            )
        error = error.__cause__ or error.__context__
    return None
