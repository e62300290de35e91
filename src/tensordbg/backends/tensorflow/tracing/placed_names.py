"""Under which names the program's functions have the arguments of a graph, each in its own place.

A function that a traced one calls has parameters of its own: `x` there may be another tensor than `x` of its caller.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

Scope = tuple[str, str]
"""The file and the name of a function of the program."""

_PLACES: weakref.WeakKeyDictionary[Any, dict[str, dict[tuple[Scope, str], None]]] = weakref.WeakKeyDictionary()
"""By graph and operation."""


def note_in_place(scope: Scope, name: str, tensor: Any) -> None:
    """Notes that a function of the program has an argument of a graph under a name."""
    _PLACES.setdefault(tensor.graph, {}).setdefault(tensor.op.name, {})[scope, name] = None


def places_of(graph: Any, operation: str) -> Iterable[tuple[Scope, str]]:
    """The functions that were seen to use an argument of a graph, each with the name that it has there."""
    return tuple(_PLACES.get(graph, {}).get(operation, ()))
