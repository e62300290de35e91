"""Reads `[tool.tensordbg]` of the nearest pyproject.toml above the program.

[tool.tensordbg]
allow = [{op = "SelectV2"}, {name = "*/mask*"}, {line = "model.py:42"}]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tensordbg.allowed import AllowRule, rules_of
from tensordbg.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_KEYS = ("allow",)


@dataclass(frozen=True)
class Settings:
    """The settings of a program's project."""

    allow: tuple[AllowRule, ...] = ()
    """Infinities that are allowed."""


def settings_above(folder: Path) -> Settings:
    """The settings of the nearest pyproject.toml in a folder or above it; the defaults where it says nothing.

    Raises:
        UsageError: The table is not understood. A file that is no TOML has nothing to say to us.
    """
    folder = folder.resolve()
    for each in (folder, *folder.parents):
        file = each / "pyproject.toml"
        if file.is_file():
            return _settings(file)
    return Settings()


def settings_of_program() -> Settings:
    """The settings of the program that this process runs; of the current folder where it was not started from a file.

    Raises:
        UsageError: The table is not understood.
    """
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return settings_above(Path(file).parent if file else Path.cwd())


def _settings(file: Path) -> Settings:
    try:
        table: Any = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("tensordbg", {})
    except (OSError, ValueError, AttributeError):
        return Settings()
    where = f"{file}: [tool.tensordbg]"
    if not isinstance(table, dict):
        raise UsageError(f"{where} is {table!r}, but must be a table; write its keys below the heading")
    for key in table:
        if key not in _KEYS:
            raise UsageError(f"{where} has the key {key!r}, but knows only {', '.join(_KEYS)}; take it out")
    return Settings(allow=rules_of(table.get("allow", ()), f"{where} allow"))
