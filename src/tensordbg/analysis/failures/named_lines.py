"""The lines of a program's text that gave the names on a line their values, and so on back, the nearest first.

It is read as text alone: of branches and loops all assignments above count that are the last of a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_MOST = 20


def lines_behind(text: str, line: int) -> Iterator[int]:
    """Yields them, within the function in which the line stands.

    Args:
        text: That of the file.
        line: Its number, from 1.
    """
    try:
        statements = _statements(ast.parse(text), line)
    except (SyntaxError, ValueError, RecursionError):
        return
    waiting = [each for each in statements if each.lineno <= line <= (each.end_lineno or each.lineno)][-1:]
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        statement = waiting.pop(0)
        names = {each.id for each in ast.walk(statement) if isinstance(each, ast.Name) and _is_read(each)}
        for name in sorted(names):
            above = [each for each in statements if each.lineno < statement.lineno and _binds(each, name)]
            if above and above[-1].lineno not in seen:
                seen.add(above[-1].lineno)
                waiting.append(above[-1])
                yield above[-1].lineno


def _statements(tree: ast.Module, line: int) -> Sequence[ast.stmt]:
    """The assignments and other simple statements of the innermost function that a line stands in, from the top."""
    inside: ast.AST = tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= line <= (node.end_lineno or 0):
            inside = node
    found = (each for each in _own(inside) if isinstance(each, ast.stmt) and not hasattr(each, "body"))
    return sorted(found, key=lambda each: each.lineno)


def _own(function: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function, without those of functions and classes in it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def _is_read(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)


def _binds(statement: ast.stmt, name: str) -> bool:
    names = (each for each in ast.walk(statement) if isinstance(each, ast.Name) and not _is_read(each))
    return any(each.id == name for each in names)
