"""Settings of a program's optimizers, from the rows of `facts.jsonl` that tell them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_MOST_NUMBER = 2**46
_MOST_SETTINGS = 100
"""No optimizer has so many."""
_LONGEST = 200
"""The text of a setting is shorter."""

Setting = float | int | bool | str | tuple[float, ...] | None
"""None stands for what is not used."""


@dataclass(frozen=True)
class OptimizerSettings:
    """How an optimizer was set, from a step on, for some of the variables that it trains."""

    optimizer: int
    group: int
    """Which of its groups of variables, each of which has settings of its own."""
    kind: str
    """Name of its class."""
    step: int
    settings: Mapping[str, Setting]
    """By the names that the framework has for them."""
    variables: tuple[int, ...] = ()
    """What it trains; empty where that is not known."""
    held: Mapping[str, int] = field(default_factory=dict)
    """Variables that hold further settings, by the names of these."""


def collect_optimizers(rows: Iterable[Any]) -> tuple[OptimizerSettings, ...]:
    """Puts together what rows tell, in their order; a row without variables is on those of the row before."""
    found: list[OptimizerSettings] = []
    trained: dict[tuple[int, int], tuple[int, ...]] = {}
    for row in rows:
        told = _settings(row) if isinstance(row, dict) else None
        if told is None:
            continue
        variables = _counts(row.get("variables"))
        place = (told.optimizer, told.group)
        trained[place] = variables or trained.get(place, ())
        found.append(replace(told, variables=trained[place]))
    return tuple(found)


def _settings(row: Mapping[str, Any]) -> OptimizerSettings | None:
    numbers = [row.get(name) for name in ("number", "group", "step")]
    settings, held = row.get("settings"), row.get("held", {})
    if not all(map(_is_count, numbers)) or not isinstance(settings, dict) or not isinstance(held, dict):
        return None
    return OptimizerSettings(
        optimizer=numbers[0],  # type: ignore[arg-type]
        group=numbers[1],  # type: ignore[arg-type]
        kind=str(row.get("type", ""))[:_LONGEST],
        step=numbers[2],  # type: ignore[arg-type]
        settings={name: _setting(value) for name, value in list(settings.items())[:_MOST_SETTINGS]},
        held={name: number for name, number in list(held.items())[:_MOST_SETTINGS] if _is_count(number)},
    )


def _setting(value: object) -> Setting:
    """A setting as it may be compared: lists of numbers become tuples, and what is no setting None."""
    if isinstance(value, list):
        numbers = tuple(each for each in value if isinstance(each, (int, float)))
        return numbers if len(numbers) == len(value) else None
    if isinstance(value, str):
        return value[:_LONGEST]
    return value if isinstance(value, (bool, int, float)) else None


def _counts(value: object) -> tuple[int, ...]:
    return tuple(each for each in value if _is_count(each)) if isinstance(value, list) else ()


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < _MOST_NUMBER
