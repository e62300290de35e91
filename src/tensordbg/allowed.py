"""Infinities that are allowed: rules that say where, by operation type, name or source line.

A rule lets infinities pass, not NaN, unless it says `nan = true`: a -inf in an attention mask is meant, what
`inf - inf` makes of it seldom is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase

from tensordbg.errors import UsageError
from tensordbg.model import Frame

_KEYS = {"op": str, "name": str, "line": str, "nan": bool}

_EXAMPLE = '{op = "SelectV2"}, {name = "*/mask*"} or {line = "model.py:42"}'


@dataclass(frozen=True)
class AllowRule:
    """Holds for the operations that fit everything given; `*`, `?` and `[...]` are as in file names."""

    op: str = ""
    """Type of the operation, such as `SelectV2`."""
    name: str = ""
    """Name of the operation, such as `*/mask*`."""
    line: str = ""
    """A line of the program that the operation's stack has: `model.py:42`, `model.py:40-48`, or the file alone."""
    nan: bool = False
    """Whether NaN is meant as well."""

    def __str__(self) -> str:
        given = {key: value for key, value in asdict(self).items() if value}
        return ", ".join(f"{key} = {'true' if value is True else repr(value)}" for key, value in given.items())

    def fits(self, op_type: str, name: str, frames: Iterable[Frame]) -> bool:
        """Whether it holds for an operation that was created with this stack."""
        if self.op and not fnmatchcase(op_type, self.op):
            return False
        if self.name and not fnmatchcase(name, self.name):
            return False
        return not self.line or any(self._is_line(frame) for frame in frames)

    def _is_line(self, frame: Frame) -> bool:
        file, first, last = _parts(self.line)
        path = frame.file.replace("\\", "/")
        return first <= frame.line <= last and (fnmatchcase(path, file) or fnmatchcase(path, f"*/{file}"))


def _parts(line: str) -> tuple[str, int, float]:
    """The file, the first and the last line that a rule names."""
    match = re.fullmatch(r"(.*?)(?::(\d+)(?:-(\d+))?)?", line)
    assert match is not None
    if match[2] is None:
        return match[1], 0, float("inf")
    return match[1], int(match[2]), int(match[3] or match[2])


def rules_of(given: object, where: str) -> tuple[AllowRule, ...]:
    """Reads rules from plain tables, as a call or a settings file gives them.

    Args:
        given: A list of tables, each with some of the keys `op`, `name`, `line` and `nan`; or of rules.
        where: What it is called in an error.

    Raises:
        UsageError: It is something else.
    """
    if isinstance(given, Mapping | str) or not isinstance(given, Iterable):
        raise UsageError(f"{where} is {given!r}, but must be a list of rules; write it as [{_EXAMPLE}]")
    return tuple(_rule(each, f"{where}[{i}]") for i, each in enumerate(given))


def _rule(given: object, where: str) -> AllowRule:
    if isinstance(given, AllowRule):
        return given
    if not isinstance(given, Mapping):
        raise UsageError(f"{where} is {given!r}, but a rule is a table with op, name or line; write {_EXAMPLE}")
    for key, value in given.items():
        if key not in _KEYS:
            raise UsageError(f"{where} has the key {key!r}, but a rule knows op, name, line and nan; take it out")
        if not isinstance(value, _KEYS[key]):
            kind = "a text" if _KEYS[key] is str else "true or false"
            raise UsageError(f"{where} has {key} = {value!r}, but it must be {kind}; fix it")
    rule = AllowRule(**given)
    if not (rule.op or rule.name or rule.line):
        raise UsageError(f"{where} allows everything; give it an op, a name or a line, as in {_EXAMPLE}")
    return rule


def applicable(rules: Iterable[AllowRule], op_type: str, name: str, frames: Iterable[Frame]) -> tuple[AllowRule, ...]:
    """The rules that hold for an operation."""
    stack = tuple(frames)
    return tuple(rule for rule in rules if rule.fits(op_type, name, stack))


def as_tables(rules: Iterable[AllowRule]) -> list[dict[str, object]]:
    """The plain tables that `rules_of` reads."""
    return [{key: value for key, value in asdict(rule).items() if value} for rule in rules]
