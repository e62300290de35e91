"""Compiles a source file so that it asks before a line whether to stop there.

A trace function of Python would slow down the whole program, and would be missed by what TensorFlow's own threads
call. What is put in bears the number of the line before, so that a debugger which is entered there stops at the line
itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import TypeAlias

from tensordbg.errors import UsageError

ASK = "__tdbg_stop__"
"""What is called with the number of the place, by this name among Python's own functions."""

ENTER = "__tdbg_enter__"
"""What is called then, by the line's own frame, where the answer is true."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True)
class StopLine:
    """A line that has code."""

    line: int
    """Where it stops; of the line of a `def` the first one in the function."""
    functions: frozenset[int]
    """The first lines, as their code has them, of all functions that the line is a part of."""


@dataclass(frozen=True)
class _Statement:
    node: ast.stmt
    block: list[ast.stmt]
    first: int
    last: int
    """Its lines; of one that holds others those before them."""


def stop_line(source: bytes | str, line: int, name: str) -> StopLine:
    """Finds what stops at a line.

    Args:
        source: The file's text.
        line: From 1.
        name: Of the file, for what is said of it.

    Raises:
        UsageError: If the line has no code, or the file is no Python.
    """
    tree = _parsed(source, name)
    stops = _statement_at(tree, line)
    lambdas = _lambdas_at(tree, line)
    if stops is None and not lambdas:
        raise UsageError(_refusal(tree, source, line, name))
    at = line if stops is None or lambdas else stops.first
    return StopLine(at, frozenset(_first_line(each) for each in _functions_around(tree, at)))


def compile_with_stops(source: bytes, file: str, stops: Sequence[tuple[int, int]]) -> CodeType:
    """Compiles a file that asks at some lines.

    Args:
        source: Its text.
        file: Its path.
        stops: Lines that have code, each with the number of its place.
    """
    tree = _parsed(source, file)
    put_stops(tree, stops)
    code: CodeType = compile(tree, file, "exec", dont_inherit=True)
    return code


def put_stops(tree: ast.Module, stops: Sequence[tuple[int, int]]) -> None:
    """Has a file that is still to be compiled ask at some lines, given as to `compile_with_stops`."""
    asked = [(_statement_at(tree, line), _lambdas_at(tree, line), line, number) for line, number in stops]
    for statement, lambdas, line, number in asked:
        for each in lambdas:
            each.body = _behind_question(each.body, number)
        # A call over several lines is not what is meant by the line of a function in it.
        if statement is not None and not (lambdas and statement.first < line):
            _put_before(statement, number)


def _parsed(source: bytes | str, name: str) -> ast.Module:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise UsageError(f"{name} is no Python file that could be stopped in: {error}; name another") from None


def _statements(block: list[ast.stmt]) -> Iterator[_Statement]:
    """All statements that have code, outer ones first."""
    for node in block:
        inner = [each for each in _blocks(node) if each]
        if _has_code(node):
            last = node.end_lineno or node.lineno
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            if inner:
                last = max(node.lineno, inner[0][0].lineno - 1)
            yield _Statement(node, block, first, last)
        for each in inner:
            yield from _statements(each)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        for each in getattr(node, field, []) if field in {"handlers", "cases"} else ():
            yield from _blocks(each)
        block = getattr(node, field, None)
        if isinstance(block, list) and field not in {"handlers", "cases"}:
            yield block


def _has_code(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False
    if isinstance(node, ast.ImportFrom) and node.module == "__future__":
        return False
    return not isinstance(node, ast.Global | ast.Nonlocal | ast.Try)


def _statement_at(tree: ast.Module, line: int) -> _Statement | None:
    found = [each for each in _statements(tree.body) if each.first <= line <= each.last]
    if not found:
        return None
    # The first that begins on the line, or else the innermost over it.
    chosen = max(found, key=lambda each: (each.first, -each.node.col_offset))
    if isinstance(chosen.node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = [each for each in _statements(chosen.node.body) if each.block is chosen.node.body]
        return inside[0] if inside else None
    return chosen


def _lambdas_at(tree: ast.Module, line: int) -> list[ast.Lambda]:
    """The innermost one over a line, and all that begin with it."""
    lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
    found = [each for each in lambdas if each.body.lineno <= line <= (each.body.end_lineno or line)]
    first = max((each.body.lineno for each in found), default=0)
    return [each for each in found if each.body.lineno == first]


def _functions_around(tree: ast.Module, line: int) -> list[_Function]:
    functions = [node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    return [each for each in functions if _first_line(each) <= line <= (each.end_lineno or line)]


def _first_line(function: _Function) -> int:
    decorators: list[ast.expr] = getattr(function, "decorator_list", [])
    return min([function.lineno, *(each.lineno for each in decorators)])


def _question(line: int, number: int) -> ast.expr:
    text = f"{ASK}({number}) and {ENTER}()"
    node = ast.parse(text, mode="eval").body
    before = line - 1 if line > 1 else line + 1
    for each in ast.walk(node):
        if isinstance(each, ast.expr):
            each.lineno = each.end_lineno = before
            each.col_offset = each.end_col_offset = 0
    return node


def _put_before(statement: _Statement, number: int) -> None:
    node = statement.node
    if isinstance(node, ast.While):  # whose condition is computed in each iteration
        node.test = _behind_question(node.test, number)
        return
    asked = ast.Expr(_question(statement.first, number))
    place = next(position for position, each in enumerate(statement.block) if each is node)
    statement.block.insert(place, ast.copy_location(asked, asked.value))


def _behind_question(value: ast.expr, number: int) -> ast.expr:
    """An expression that has the same value and asks before it is computed."""
    pair = ast.copy_location(ast.Tuple([_question(value.lineno, number), value], ast.Load()), value)
    return ast.copy_location(ast.Subscript(pair, ast.copy_location(ast.Constant(1), value), ast.Load()), value)


def _refusal(tree: ast.Module, source: bytes | str, line: int, name: str) -> str:
    text = source if isinstance(source, str) else source.decode("utf-8", "replace")
    lines = text.splitlines()
    known = sorted({each.first for each in _statements(tree.body)})
    if not known:
        return f"{name} has no code to stop in; name another file"
    nearest = min(known, key=lambda each: (abs(each - line), each < line))
    why = "has no code" if line <= len(lines) else f"is not there: the file has {len(lines)} lines"
    return f"{name}:{line} {why}; the nearest line that has is {nearest}: {lines[nearest - 1].strip()}"
