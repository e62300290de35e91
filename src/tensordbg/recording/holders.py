"""Where objects of frameworks keep what a program puts into them, told by backends: to ask the object runs code."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator, Mapping
from typing import Any

_WRAPPERS: dict[str, tuple[str, str]] = {}
"""By the class of a wrapper its package, and the attribute in which it keeps the list or dict."""

_TABLES: dict[str, None] = {}
"""Attributes of objects that are dictionaries of further attributes."""


def note_wrappers(package: str, attributes: Mapping[str, str]) -> None:
    """Tells in which attribute classes of a package, by their names, keep the list or dict that they stand for."""
    _WRAPPERS.update({name: (package, attribute) for name, attribute in attributes.items()})


def note_tables(*names: str) -> None:
    """Tells of attributes in which objects have dictionaries of what they show as attributes of their own."""
    _TABLES.update(dict.fromkeys(names))


def unwrapped(value: Any) -> Any:
    """The list or dict that a value stands for; the value itself where it is no wrapper."""
    kind = type(value)
    if any(each is UserDict for each in kind.__mro__):
        return _own(value).get("data", value)
    package, attribute = _WRAPPERS.get(kind.__name__, ("", ""))
    return getattr(value, attribute) if attribute and kind.__module__.partition(".")[0] == package else value


def tables_of(own: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The dictionaries of further attributes among an object's own."""
    yield from (table for name in _TABLES if type(table := own.get(name)) is dict)


def _own(value: Any) -> Mapping[str, Any]:
    own = object.__getattribute__(value, "__dict__")
    return own if type(own) is dict else {}
