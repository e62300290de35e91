"""Findings carried by the exception that ends a program because of them: nobody has to read its message.

A runtime may hand on nothing but the text of an error that a kernel raised. Then `ON_THE_WAY` knows what was found by
the whole text, which comes out within whatever the runtime writes around it.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

_NAME = "_tensordbg_found"
_MOST = 100
"""So many messages are remembered; most come out at once, but an error may also be dropped within the runtime."""

Found = TypeVar("Found")


def carry(error: BaseException, found: object) -> None:
    """Has an exception carry what was found."""
    with contextlib.suppress(AttributeError):
        setattr(error, _NAME, found)


def carried(error: BaseException | None, kind: type[Found]) -> Found | None:
    """The finding of a kind that an exception carries, or one that it comes from; None where there is none."""
    for each in chain(error):
        found = getattr(each, _NAME, None)
        if isinstance(found, kind):
            return found
    return None


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and those that it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


@dataclass(frozen=True)
class Sent:
    """A message that was given to a runtime, and what was found."""

    message: str
    found: object


class OnTheWay:
    """The messages that runtimes were given."""

    def __init__(self) -> None:
        """None was."""
        self._sent: deque[Sent] = deque(maxlen=_MOST)
        self._lock = threading.Lock()

    def send(self, message: str, found: object) -> str:
        """Notes what was found before its message goes to a runtime; returns the message."""
        with self._lock:
            if not self._sent or self._sent[-1].message != message:
                self._sent.append(Sent(message, found))
        return message

    def within(self, text: str) -> Sent | None:
        """The message that comes first in what a runtime made of it; None where it holds none."""
        with self._lock:
            sent = list(self._sent)
        places = [(text.find(each.message.strip()), -number) for number, each in enumerate(sent)]
        _, number = min((place for place in places if place[0] >= 0), default=(0, 1))
        return None if number > 0 else sent[-number]


ON_THE_WAY = OnTheWay()
