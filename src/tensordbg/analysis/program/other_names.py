"""Second names that a program's text gives: `done = best`, and the elements of `losses` in `losses.append(loss)`.

Such a line computes nothing. The value is that of the statement before it which gave the first name, if it stands in
the same block and nothing between may have given that name anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

StatementsBefore = Mapping[ast.stmt, Sequence[ast.stmt]]
"""By statement those before it in its block."""

_BLOCKS = ("body", "orelse", "finalbody")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def statements_before(tree: ast.AST) -> StatementsBefore:
    """The statements before each one in its block."""
    blocks = (getattr(node, name, None) for node in ast.walk(tree) for name in _BLOCKS)
    return {
        statement: block[:place]
        for block in blocks if isinstance(block, list)
        for place, statement in enumerate(block) if _is_second_name(statement)
    }  # fmt: skip


def appended(node: ast.AST) -> Iterator[tuple[ast.expr, ast.AST]]:
    """The list that a statement appends an element to, and the element."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.func.attr != "append":
        return
    if len(call.args) == 1 and not isinstance(call.args[0], ast.Starred):
        yield call.func.value, call.args[0]


def value_of(value: ast.AST, statement: ast.AST, before: StatementsBefore) -> ast.AST:
    """The expression that gave a value which a statement has by a name alone; any other as it is."""
    if not isinstance(value, ast.Name) or not isinstance(statement, ast.stmt):
        return value
    for earlier in reversed(before.get(statement, ())):
        if _gives(earlier, value.id):
            whole = _whole_value(earlier, value.id)
            return value if whole is None else value_of(whole, earlier, before)
    return value


def values_of(value: ast.AST, statement: ast.AST, before: StatementsBefore) -> list[ast.AST]:
    """As `value_of`; of a list that was begun empty in the same block, what was appended to it since."""
    found = value_of(value, statement, before)
    if not isinstance(found, ast.List) or found.elts or not isinstance(value, ast.Name):
        return [found]
    since: list[ast.stmt] = []
    for earlier in reversed(before.get(statement, ()) if isinstance(statement, ast.stmt) else ()):
        if _gives(earlier, value.id):
            break
        since.insert(0, earlier)
    inner = (node for each in since for node in ast.walk(each))
    return [
        whole
        for node in inner
        for taker, element in appended(node)
        if isinstance(taker, ast.Name) and taker.id == value.id
        for whole in values_of(element, node, before)
    ]


def parts_of(value: ast.AST) -> Iterator[ast.expr]:
    """The values that an assignment to several names gives, one by one: `b, (c, d)` has three."""
    for each in value.elts if isinstance(value, (ast.Tuple, ast.List)) else ():
        yield from parts_of(each) if isinstance(each, (ast.Tuple, ast.List)) else (each,)


def _is_second_name(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
    given = [value, *parts_of(value)] if value is not None else []
    return any(isinstance(each, ast.Name) for each in (*given, *(element for _, element in appended(statement))))


def _gives(statement: ast.stmt, name: str) -> bool:
    """Whether a statement, or one in it, may give a name."""
    if isinstance(statement, _SCOPES):
        return bool(getattr(statement, "name", "") == name)
    names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
    return any(node.id == name and not isinstance(node.ctx, ast.Load) for node in names)


def _whole_value(statement: ast.stmt, name: str) -> ast.AST | None:
    """The expression that a statement gives a name to as a whole; None where it is not that simple."""
    if isinstance(statement, ast.AugAssign):
        return statement
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    is_whole = any(isinstance(target, ast.Name) and target.id == name for target in targets)
    return statement.value if is_whole and isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
