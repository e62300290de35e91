"""The statements of a program's text, as far as breakpoints ask for them: where one begins and ends, what it names.

A statement over several lines makes its operations at any of these, so a breakpoint at one of them means them all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

_LONGEST_TEXT = 2_000_000
"""Characters of a file that is still read."""

_SILENT = (
    *(ast.Import, ast.ImportFrom, ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Try),
)
"""They make no operation, but for what stands in them."""


@dataclass(frozen=True)
class Statement:
    """A statement without the statements in it."""

    first: int
    last: int
    """Its lines."""
    assigned: frozenset[str] = frozenset()
    """The names that it gives to what it computes, such as `loss` or `self.loss`."""
    taken: frozenset[str] = frozenset()
    """The names that it reads."""
    value_of: str = ""
    """The one name that it gives to what it computes, where it is an assignment to one."""
    repeated: range = range(0)
    """The lines of what a loop runs again and again; empty where it is none, and where they are its own."""

    @property
    def gives_only(self) -> frozenset[str]:
        """The names that mean nothing before it, as far as it tells."""
        return self.assigned - self.taken


@dataclass(frozen=True)
class Statements:
    """Those of a file that may make operations."""

    by_line: dict[int, Statement] = field(default_factory=dict)

    def at(self, line: int) -> Statement | None:
        """The statement at a line, None where there is none that could make operations."""
        return self.by_line.get(line)

    @property
    def lines(self) -> list[int]:
        """The first lines of all statements."""
        return sorted({each.first for each in self.by_line.values()})


def statements_of(file: str) -> Statements | None:
    """The statements of a file; None where it can't be read as Python."""
    try:
        path = Path(file)
        return _read(file, path.stat().st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=64)
def _read(file: str, _: int) -> Statements | None:
    try:
        text = Path(file).read_text(encoding="utf-8")
        tree = ast.parse(text) if len(text) < _LONGEST_TEXT else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return None if tree is None else statements_in(tree)


def statements_in(tree: ast.AST) -> Statements:
    """The statements of a module."""
    found = Statements()
    for node in _all(tree):
        if isinstance(node, _SILENT) or _is_text(node):
            continue
        last = node.end_lineno or node.lineno
        inner = [each.lineno for each in _inside(node)]
        if inner:
            last = max(node.lineno, min(inner) - 1)
        own = list(_expressions(node))
        assigned = frozenset(_names(own, ast.Store))
        assigns = len(assigned) == 1 and isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign))
        value_of = next(iter(assigned)) if assigns else ""
        taken = frozenset(_taken(node, own))
        statement = Statement(node.lineno, last, assigned, taken, value_of, _repeated(node, last))
        found.by_line.update(dict.fromkeys(range(node.lineno, last + 1), statement))
    return found


def _all(tree: ast.AST) -> Iterator[ast.stmt]:
    """All statements, those around others first."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            yield node


def _is_text(node: ast.stmt) -> bool:
    """Whether it is a docstring, or a constant that stands alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _inside(node: ast.stmt) -> Iterator[ast.stmt]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.stmt):
            yield each
        elif isinstance(each, (ast.ExceptHandler, ast.match_case)):
            yield from each.body


def _expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """What stands in a statement, without the statements in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from ast.walk(child)


def _repeated(node: ast.stmt, last: int) -> range:
    if not isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        return range(0)
    begin = node.body[0].lineno
    return range(begin, (node.body[-1].end_lineno or begin) + 1) if begin > last else range(0)


def _names(nodes: list[ast.AST], context: type[ast.expr_context]) -> Iterator[str]:
    for each in nodes:
        if isinstance(each, (ast.Name, ast.Attribute)) and isinstance(each.ctx, context):
            yield ast.unparse(each)


def _taken(node: ast.stmt, own: list[ast.AST]) -> Iterator[str]:
    yield from _names(own, ast.Load)
    if isinstance(node, ast.AugAssign):
        yield ast.unparse(node.target)
