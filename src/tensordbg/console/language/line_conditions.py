"""Conditions of breakpoints at lines: `loss > 10`, `nan(loss)`, `x.shape[0] != 32`, over the names that stand there.

They are computed as `eval` computes, so nothing that is not listed there can be called.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.console.language.evaluation import evaluate
from tensordbg.errors import UsageError

_ABOUT = {"nan": "any(isnan({0}))", "inf": "any(isinf({0}))", "finite": "all(isfinite({0}))"}
"""Questions about a tensor, as NumPy's functions answer them."""

_PROPERTIES = {"shape", "size", "ndim"}
"""What may stand behind a tensor's name and a point."""

_CONSTANTS = {"nan", "inf", "pi"}

_MODULES = {"np", "numpy"}


@dataclass(frozen=True)
class LineCondition:
    """A condition that was understood."""

    text: str
    """As it was typed."""
    expression: str
    """As it is computed."""
    names: tuple[tuple[str, str], ...]
    """The Python names in it, and what stands for each in the expression."""

    @property
    def asked(self) -> frozenset[str]:
        """The names whose values it needs."""
        return frozenset(name for name, _ in self.names)

    def holds(self, value_of: Callable[[str], Any]) -> bool:
        """Whether it holds, of arrays for any of their elements.

        Raises:
            UsageError: If a name has no value, or it can't be computed.
        """
        named = {stand_in: name for name, stand_in in self.names}
        return bool(np.any(evaluate(self.expression, lambda stand_in: value_of(named[stand_in]))))


def parse_line_condition(text: str) -> LineCondition:
    """Reads a condition.

    Raises:
        UsageError: If it is no expression.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise UsageError(f"{text!r} is no condition; write one such as 'loss > 10' or 'nan(loss)'") from None
    reader = _Reader()
    expression = ast.unparse(ast.fix_missing_locations(reader.visit(tree)))
    condition = LineCondition(text.strip(), expression, tuple(reader.names.items()))
    _try(condition)
    return condition


def _try(condition: LineCondition) -> None:
    """Refuses at once what could never be computed."""

    def value_of(_: str) -> Any:
        raise _UnknownError

    with contextlib.suppress(_UnknownError):
        condition.holds(value_of)


class _UnknownError(Exception):
    """Nobody knows yet what a name stands for."""


class _Reader(ast.NodeTransformer):
    """Puts plain names in the place of dotted ones, and calls in that of properties."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        given = [self.visit(each) for each in node.args]
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name in _ABOUT and len(given) == 1 and not node.keywords:
            return ast.parse(_ABOUT[name].format(ast.unparse(given[0])), mode="eval").body
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return ast.Call(node.func, given, node.keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        written = ast.unparse(node)
        if written.partition(".")[0] in _MODULES:
            return node
        if node.attr in _PROPERTIES:
            return ast.Call(ast.Name(node.attr, ast.Load()), [self.visit(node.value)], [])
        return self._named(written)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._named(node.id)

    def _named(self, name: str) -> ast.AST:
        if name in _CONSTANTS:
            return ast.parse(f"np.{name}", mode="eval").body
        return ast.Name(self.names.setdefault(name, f"name_{len(self.names)}"), ast.Load())
