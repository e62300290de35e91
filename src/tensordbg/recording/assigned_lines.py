"""The statement that gave a name of the program's the value it has at a line, where the text alone makes that certain.

Statements run in order, so it is the last one before the line, unless it stands in a branch or a loop that the line
is not in: then it may not have run.
"""

from __future__ import annotations

import ast
import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.Lambda)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_BLOCKS = ("body", "orelse", "finalbody")
_COMPOUND = (*_LOOPS, ast.If, ast.With, ast.AsyncWith, ast.Try, ast.Match)


@dataclass(frozen=True)
class Scope:
    """The function in which a name stands."""

    function: str
    """As the code object has it, `<module>` outside of functions."""
    first_line: int


@dataclass(frozen=True)
class Assignment:
    """The statement that gave a name its value."""

    line: int
    is_changed: bool
    """Whether elements were written since, as by `labels[3] = 10`."""


class _Unsure(Exception):  # noqa: N818  no error: it may or may not have run
    pass


def assigned_before(text: str, scope: Scope, name: str, line: int) -> Assignment | None:
    """The last assignment of a name that ran before a line; None where it has none there or that is not certain."""
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, _Unsure):
        block = block_of(ast.parse(text), scope)
        found = None if block is None else _last(block, name, line)
        if block is not None and found is not None:
            between = (
                each for each in own_nodes(block) if isinstance(each, ast.stmt) and found.lineno < each.lineno < line
            )
            return Assignment(found.lineno, any(_writes_elements(each, name) for each in between))
    return None


def block_of(tree: ast.Module, scope: Scope) -> Sequence[ast.stmt] | None:
    """The statements of a function, None where the text has no such."""
    if scope.function == "<module>":
        return tree.body
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS) and node.name == scope.function:
            lines = [node.lineno, *(each.lineno for each in node.decorator_list)]
            if min(lines) == scope.first_line:
                return node.body
    return None


def _last(block: Sequence[ast.stmt], name: str, line: float) -> ast.stmt | None:
    """The last statement of a block that binds the name before the line."""
    found: ast.stmt | None = None
    is_sure = True
    for statement in block:
        if statement.lineno >= line:
            break
        if not isinstance(statement, _COMPOUND):
            binding = statement if _binds(statement, name) else None
        elif (statement.end_lineno or 0) >= line:
            binding = _within(statement, name, line)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            binding = _last(statement.body, name, math.inf) or (statement if _has_target(statement, name) else None)
        else:
            binding = None
            is_sure = is_sure and not _binds(statement, name)
        if binding is not None:
            found, is_sure = binding, True
    if not is_sure:
        raise _Unsure
    return found


def _within(statement: ast.stmt, name: str, line: float) -> ast.stmt | None:
    """The last statement that binds the name in one that the line stands in."""
    blocks = [block for field in _BLOCKS if (block := getattr(statement, field, None))]
    blocks += [each.body for each in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]]
    for block in blocks:
        if block[0].lineno <= line <= (block[-1].end_lineno or 0):
            inner = _last(block, name, line)
            if inner is not None or _has_target(statement, name):
                return inner or statement
            if isinstance(statement, (*_LOOPS, ast.Try)) and _binds(statement, name):
                raise _Unsure  # by the iteration before, or by what came before an exception
            return None
    return None


def own_nodes(block: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """All nodes of a block, without those of functions and classes in it."""
    waiting = list(block)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def _binds(statement: ast.stmt, name: str) -> bool:
    return any(_is_bound_by(each, name) for each in own_nodes([statement]))


def _is_bound_by(node: ast.AST, name: str) -> bool:
    if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        return node.name == name
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) == name
    return isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)) and node.id == name


def _has_target(statement: ast.stmt, name: str) -> bool:
    """Whether a `for` or a `with` binds the name itself."""
    targets = [getattr(statement, "target", None)]
    targets += [each.optional_vars for each in getattr(statement, "items", ())]
    return any(_is_bound_by(node, name) for each in targets if each is not None for node in ast.walk(each))


def _writes_elements(statement: ast.stmt, name: str) -> bool:
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == name
        for node in own_nodes([statement])
    )
