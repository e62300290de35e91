"""Public names that are looked up when they are first used, so that importing a package brings nothing heavy."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy_names(module: str, homes: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Makes a module's `__getattr__` and `__dir__` (PEP 562).

    Args:
        module: Its own name.
        homes: For each public name the module that defines it.
    """

    def look_up(name: str) -> Any:
        if name not in homes:
            message = f"module {module!r} has no attribute {name!r}"
            raise AttributeError(message)
        value = getattr(importlib.import_module(homes[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[module]), *homes})

    return look_up, names
