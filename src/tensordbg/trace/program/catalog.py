"""The parts of a program, by number: everything in a trace that does not grow with the steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tensordbg.model import NONE, Frame, Function, Site, SourceFile, Variable
from tensordbg.trace.migrations import upgrade_row
from tensordbg.trace.program import rows
from tensordbg.trace.program.facts import collect_facts
from tensordbg.trace.program.lines import read_lines
from tensordbg.trace.program.proportion import is_in_proportion, most_numbers

CATALOG_FILES = ("sites", "functions", "stacks", "sources", "variables", "names")
"""The JSON-lines files that it is read from."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class KnownSites(dict[int, Site]):
    """Sites by number. One that events name and nothing describes, since the disk was full, say, stands for itself."""

    def __missing__(self, number: int) -> Site:
        return Site(number, f"lost_{number}", "Lost", NONE, NONE)


class KnownFunctions(dict[int, Function]):
    """Functions by number; one that nothing describes stands for itself, as of sites."""

    def __missing__(self, number: int) -> Function:
        return Function(number, f"lost_{number}", f"lost_{number}", number)


@dataclass(frozen=True)
class Catalog:
    """The small tables of a trace as dataclasses."""

    sites: Mapping[int, Site] = field(default_factory=dict)
    functions: Mapping[int, Function] = field(default_factory=dict)
    stacks: Mapping[int, tuple[Frame, ...]] = field(default_factory=dict)
    """Outermost frame first; a stack without frames is left out."""
    sources: Mapping[str, SourceFile] = field(default_factory=dict)
    """By file."""
    variables: Mapping[int, Variable] = field(default_factory=dict)
    paths: Mapping[int, str] = field(default_factory=lambda: {0: ""})
    """Call paths inside graphs."""
    devices: Mapping[int, str] = field(default_factory=lambda: {0: ""})
    """Empty in a sealed trace, whose events bear the names themselves."""
    damaged: int = 0
    """How many lines could not be read."""
    described: bool = True
    """Whether all is here that events name; on a full disk lines are lost, and a running program may write more."""


def read_catalog(folder: Path, version: int) -> Catalog:
    """Reads the JSON lines of a trace whose format has this version.

    Raises:
        OSError: If a file is there and can't be read.
    """
    reading = _Reading(folder, version)
    sites = reading.numbered("sites", lambda row: _keyed(rows.site_from_row(row), "site"))
    functions = reading.numbered("functions", lambda row: _keyed(rows.function_from_row(row), "function"))
    stacks = reading.numbered("stacks", rows.stack_from_row)
    sources = reading.numbered("sources", lambda row: _keyed(rows.source_from_row(row), "file"))
    variables = reading.numbered("variables", lambda row: _keyed(rows.variable_from_row(row), "variable"))
    names = reading.numbered("names", _name)
    return Catalog(
        sites=KnownSites(sites),
        functions=KnownFunctions(functions),
        stacks={number: frames for number, frames in stacks.items() if frames},
        sources=sources,
        variables=variables,
        paths={0: ""} | {number: name for (kind, number), name in names.items() if kind == "path"},
        devices={0: ""} | {number: name for (kind, number), name in names.items() if kind == "device"},
        damaged=reading.damaged,
        described=collect_facts(read_lines(folder / "facts.jsonl").rows).described,
    )


class _Reading:
    """Reads files of lines and counts what is damaged in them."""

    def __init__(self, folder: Path, version: int) -> None:
        self._folder = folder
        self._version = version
        self.damaged = 0

    def numbered(self, name: str, convert: Callable[[dict[str, Any]], tuple[Key, Value]]) -> dict[Key, Value]:
        """The values of a file by their key, in the order of keys; a later line replaces an earlier one."""
        lines = read_lines(self._folder / f"{name}.jsonl")
        self.damaged += lines.damaged
        values: dict[Key, Value] = {}
        most = most_numbers(len(lines.rows))
        for row in lines.rows:
            try:
                key, value = convert(upgrade_row(self._version, name, row))
            except (ValueError, TypeError, LookupError):
                self.damaged += 1
            else:
                if _number_of(key) < most and is_in_proportion(value, most):
                    values[key] = value
                else:
                    self.damaged += 1
        return dict(sorted(values.items(), key=lambda item: item[0]))  # type: ignore[arg-type,return-value]


def _keyed(value: Value, key: str) -> tuple[Any, Value]:
    return getattr(value, key), value


def _number_of(key: object) -> int:
    """The number in a key; 0 of a source file, which has none."""
    last = key[-1] if isinstance(key, tuple) else key
    return last if isinstance(last, int) else 0


def _name(row: dict[str, Any]) -> tuple[tuple[str, int], str]:
    kind, number, name = rows.name_from_row(row)
    return (kind, number), name
