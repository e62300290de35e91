"""Settings of a user for all sessions of the console, kept in a small file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from tensordbg.errors import UsageError


@dataclass(frozen=True)
class Settings:
    """The settings of a console."""

    graph_recursion_depth: int = 20
    """So many steps `li -r` and `lo -r` go."""
    mouse_mode: bool = True
    """Whether the full-screen console takes the mouse."""
    elements: int = 2000
    """Of a tensor with more elements some are left out, unless `-a` is given."""


NAMES = tuple(each.name for each in fields(Settings))


def changed(settings: Settings, name: str, value: str) -> Settings:
    """The settings with one of them changed.

    Raises:
        UsageError: If there is no such setting, or it can't have this value.
    """
    if name not in NAMES:
        raise UsageError(f"no setting {name!r}; choose one of {', '.join(NAMES)}")
    known = getattr(settings, name)
    if isinstance(known, bool):
        words = {"on": True, "true": True, "1": True, "off": False, "false": False, "0": False}
        if value.lower() not in words:
            raise UsageError(f"{name} is {value!r} never; set it to on or off")
        return _replaced(settings, name, words[value.lower()])
    if not value.isdecimal() or not 0 < int(value) < 10**9:
        raise UsageError(f"{name} is {value!r} never; set it to a whole number from 1")
    return _replaced(settings, name, int(value))


def _replaced(settings: Settings, name: str, value: Any) -> Settings:
    return replace(settings, **{name: value})


def read_settings(path: Path) -> Settings:
    """Reads the settings; a file that can't be read counts as none."""
    with suppress(OSError, ValueError):
        stored = json.loads(path.read_text("utf-8"))
        if isinstance(stored, dict):
            known = {name: value for name, value in stored.items() if _fits(name, value)}
            return replace(Settings(), **known)
    return Settings()


def write_settings(path: Path, settings: Settings) -> None:
    """Keeps what was set.

    Raises:
        UsageError: If the file can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(settings), indent=2) + "\n", "utf-8")
    except OSError as error:
        message = f"{path}: can't be written ({error.strerror}); the setting holds for this session only"
        raise UsageError(message) from error


def settings_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where settings are kept."""
    return _folder(environment, "XDG_CONFIG_HOME", ".config") / "console.json"


def lines_file(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the lines that were typed are kept."""
    return _folder(environment, "XDG_STATE_HOME", ".local/state") / "console_history"


def _folder(environment: Mapping[str, str], variable: str, default: str) -> Path:
    chosen = environment.get(variable, "")
    return (Path(chosen) if chosen else Path(environment.get("HOME", "/nonexistent")) / default) / "tensordbg"


def _fits(name: str, value: object) -> bool:
    return name in NAMES and type(value) is type(getattr(Settings(), name))
