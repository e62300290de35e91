"""Notes how the optimizers of a program are set: the learning rate and what else is no tensor of its own.

An optimizer is looked at in each step that is recorded, and a row of the trace's facts is written where it is not set
as it was.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensordbg.model import NONE

_MOST_ROWS = 2000
"""A schedule changes a rate in each step; behind so many rows only steps that are powers of two are noted."""

_PLAIN = frozenset({bool, float, int, str, type(None)})


@dataclass(frozen=True)
class SeenGroup:
    """Some of the variables that an optimizer trains, and how it is set for them."""

    settings: Mapping[str, Any]
    """What JSON can tell, by the names that the framework has for it."""
    variables: Callable[[], Sequence[int]]
    """Gives the numbers of what is trained; asked once."""
    held: Mapping[str, int] = field(default_factory=dict)
    """Variables that hold further settings, by the names of these."""


def plain_settings(told: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what is a setting among the attributes of an optimizer: public numbers, words, and tuples of numbers."""
    return {
        name: value
        for name, value in told.items()
        if not name.startswith("_") and (type(value) in _PLAIN or (type(value) is tuple and _are_plain(value)))
    }


def _are_plain(values: tuple[Any, ...]) -> bool:
    return all(type(each) in _PLAIN for each in values)


class NotedOptimizers:
    """The optimizers of one recording."""

    def __init__(self, note: Callable[[dict[str, object]], None]) -> None:
        """`note` writes a row of the trace's facts."""
        self._note = note
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._count = 0
        self._rows = 0
        self._before: dict[tuple[int, int], Mapping[str, Any]] = {}

    def see(self, optimizer: Any, step: int, groups: Sequence[SeenGroup]) -> None:
        """Notes how an optimizer is set in a step, where that is not as it was."""
        if step == NONE or (self._rows >= _MOST_ROWS and step & (step - 1)):
            return
        number = self._numbers.get(optimizer)
        if number is None:
            number = self._numbers[optimizer] = self._count
            self._count += 1
        for place, group in enumerate(groups):
            before = self._before.get((number, place))
            if before == group.settings:
                continue
            self._before[number, place] = group.settings
            self._rows += 1
            row: dict[str, object] = {"number": number, "group": place, "type": type(optimizer).__name__, "step": step}
            row["settings"] = dict(group.settings)
            if before is None:
                row |= {"variables": list(group.variables()), "held": dict(group.held)}
            self._note({"optimizer": row})
