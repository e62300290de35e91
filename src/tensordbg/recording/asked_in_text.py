"""Finds in a program's text of which shapes and types a statement asks that raised: `assert d.shape == (16, 1)`.

A `raise` is looked at by the condition of the `if` that it stands in. A name that was given a size before, as `classes`
by `batch, classes = x.shape`, asks for that size.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SHAPE, DTYPE = "shape", "dtype"

_LONGEST_TEXT = 2_000_000
"""Characters of a file that is still read."""
_DEEPEST = 4
"""So many assignments are followed: `half = width // 2`, `width = x.shape[1]`."""

_OF_SHAPE = frozenset({"get_shape", "shape", "size"})
_OF_RANK = frozenset({"dim", "ndim", "ndims", "nelement", "num_elements", "numel", "rank"})
_OF_ARGUMENT = frozenset({"ndim", "rank", "shape", "size"})
"""Functions of modules that are asked by their first argument: `tf.shape(x)`, `np.ndim(x)`."""
_MODULES = frozenset({"jnp", "keras", "np", "numpy", "ops", "tensorflow", "tf", "torch"})
_AS_IT_IS = frozenset({"as_list", "list", "tuple"})
"""What puts out the sizes that it takes."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module


@dataclass(frozen=True)
class Question:
    """A shape, a size or a type that is asked for."""

    tensor: ast.expr
    """What is asked for it."""
    what: str
    """`SHAPE`, `DTYPE`, or the number of a dimension, which may count from behind."""


def questions_at(text: str, line: int) -> list[Question]:
    """Returns what a statement of a file asks for that raised in some line, in the order of the text, each once."""
    if len(text) > _LONGEST_TEXT:
        return []
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        path = _path_to(ast.parse(text), line)
        if path:
            function = next(each for each in reversed(path[:-1]) if isinstance(each, _Function))
            found = (
                question for condition in _conditions(path)
                for question in _asked(condition, _Before(function, line), _DEEPEST)
            )  # fmt: skip
            unique = {(ast.unparse(each.tensor), each.what): each for each in found}
            return list(unique.values())
    return []


def _path_to(tree: ast.Module, line: int) -> list[ast.AST]:
    """The innermost statement of a line, behind all that it stands in; empty where there is none."""
    path: list[ast.AST] = [tree]
    following: ast.AST | None = tree
    while following is not None:
        inner = (each for each in ast.walk(following) if each is not following and isinstance(each, ast.stmt))
        following = next((each for each in inner if each.lineno <= line <= (each.end_lineno or each.lineno)), None)
        if following is not None:
            path.append(following)
    return path if len(path) > 1 else []


def _conditions(path: Sequence[ast.AST]) -> list[ast.AST]:
    """What decided that a statement raises: its own expressions, or the tests of the `if` around a `raise`."""
    statement = path[-1]
    if isinstance(statement, ast.Assert):
        return [statement.test]
    if not isinstance(statement, ast.Raise):
        return [statement]
    around = list(reversed(path[:-1]))
    while around and isinstance(around[0], (ast.With, ast.AsyncWith)):
        around.pop(0)
    tests: list[ast.AST] = []
    for inner, outer in zip((statement, *around), around, strict=False):
        if not isinstance(outer, ast.If) or (tests and outer.orelse != [inner]):
            break
        tests.append(outer.test)
    return tests


@dataclass(frozen=True)
class _Before:
    """The assignments of a function before a line."""

    function: ast.AST
    line: int

    def assigned_to(self, name: str) -> tuple[ast.expr, int | None, int] | None:
        """The last assignment to a name: what, which part of that, and in which line."""
        found: tuple[ast.expr, int | None, int] | None = None
        for node in _own_nodes(self.function):
            if not isinstance(node, ast.Assign) or node.lineno >= self.line:
                continue
            for target in node.targets:
                place = _place_of(name, target)
                if place is not None and (found is None or node.lineno >= found[2]):
                    found = node.value, None if place < 0 else place, node.lineno
        return found

    def is_assigned_since(self, tensor: ast.expr, line: int) -> bool:
        """Whether what a name stands for may be another value now."""
        name = ast.unparse(tensor)
        targets = (
            target for node in _own_nodes(self.function) if isinstance(node, (ast.Assign, ast.AugAssign, ast.For))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if line < node.lineno < self.line
        )  # fmt: skip
        return any(ast.unparse(each) == name for target in targets for each in ast.walk(target))


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """What stands in a function, but not in those within it."""
    for child in ast.iter_child_nodes(function):
        yield child
        if not isinstance(child, _Function):
            yield from _own_nodes(child)


def _place_of(name: str, target: ast.expr) -> int | None:
    """The place of a name in a target, -1 where it is the target; None where it is not in there, or not for sure."""
    if isinstance(target, ast.Name):
        return -1 if target.id == name else None
    for place, each in enumerate(target.elts if isinstance(target, (ast.Tuple, ast.List)) else ()):
        if isinstance(each, ast.Starred):
            break
        if isinstance(each, ast.Name) and each.id == name:
            return place
    return None


def _asked(node: ast.AST, before: _Before, deepest: int) -> Iterator[Question]:
    question = _question(node)
    if question is not None:
        yield question
        return
    if isinstance(node, ast.Name) and deepest:
        yield from _asked_for(node.id, before, deepest)
        return
    for child in ast.iter_child_nodes(node):
        yield from _asked(child, before, deepest)


def _asked_for(name: str, before: _Before, deepest: int) -> Iterator[Question]:
    """What was asked for the value of a name."""
    assigned = before.assigned_to(name)
    if assigned is None:
        return
    value, place, line = assigned
    found = list(_asked(value, _Before(before.function, line), deepest - 1))
    for each in found:
        if before.is_assigned_since(each.tensor, line):
            continue
        whole = place is not None and each.what == SHAPE and _question(value) == each
        yield Question(each.tensor, str(place)) if whole else each


def _question(node: ast.AST) -> Question | None:
    """What an expression asks for, if that is all it does."""
    if isinstance(node, ast.Subscript):
        whole = _question(node.value)
        number = _number(node.slice)
        return Question(whole.tensor, str(number)) if whole and whole.what == SHAPE and number is not None else whole
    if isinstance(node, ast.Attribute):
        return _of_attribute(node)
    if not isinstance(node, ast.Call):
        return None
    called = node.func
    if isinstance(called, ast.Name) and called.id == "len" and len(node.args) == 1:
        inner = _question(node.args[0])
        return inner or Question(node.args[0], "0")
    if isinstance(called, ast.Name) and called.id in _AS_IT_IS and len(node.args) == 1:
        return _question(node.args[0])
    if not isinstance(called, ast.Attribute):
        return None
    if called.attr in _AS_IT_IS:
        return _question(called.value)
    if isinstance(called.value, ast.Name) and called.value.id in _MODULES:
        return Question(node.args[0], SHAPE) if called.attr in _OF_ARGUMENT and node.args else None
    asked = _of_attribute(called)
    number = _number(node.args[0]) if asked is not None and called.attr == "size" and node.args else None
    return asked if asked is None or number is None else Question(asked.tensor, str(number))


def _of_attribute(node: ast.Attribute) -> Question | None:
    if node.attr == DTYPE:
        return Question(node.value, DTYPE)
    if node.attr not in _OF_SHAPE | _OF_RANK:
        return None
    return _question(node.value) or Question(node.value, SHAPE)


def _number(node: ast.AST) -> int | None:
    with contextlib.suppress(ValueError):
        number = ast.literal_eval(node) if isinstance(node, (ast.Constant, ast.UnaryOp)) else None
        return number if type(number) is int else None
    return None
