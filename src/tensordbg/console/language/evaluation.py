"""Arithmetic with tensors, without Python's own `eval`: names, numbers, comparisons, indexing and functions of NumPy.

    np.sum(`Softmax:0`, axis=1) > 0.5 * `scale:0`[..., -1]

An expression is parsed by Python and then walked: what is not listed here is refused, so neither attributes nor
methods can be reached, and nothing can be changed.
"""

from __future__ import annotations

import ast
import operator
import warnings
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

import numpy as np

from tensordbg.console.language.functions import CONSTANTS, FUNCTIONS, KEYWORDS, TYPES
from tensordbg.console.language.sizes import check_call, check_together
from tensordbg.errors import UsageError

Names = Callable[[str], Any]
"""Gives what a name stands for; raises `UsageError` where it stands for nothing."""

MOST_SIGNS = 10_000
_MOST_BITS = 4096
"""Whole numbers grow no longer."""

_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
_UNARY: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos, ast.USub: operator.neg, ast.Invert: np.invert, ast.Not: np.logical_not,
}  # fmt: skip
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_FAILED = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)


def evaluate(expression: str, names: Names) -> Any:
    """Evaluates an expression: to an array, or a number.

    Raises:
        UsageError: If it is not understood, holds what is not allowed, or can't be computed.
    """
    try:
        if len(expression) > MOST_SIGNS:
            raise UsageError(f"the expression has more than {MOST_SIGNS} signs; compute it in steps")
        tree = ast.parse(expression.strip(), mode="eval")
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _Walk(names).of(tree.body)
    except SyntaxError as error:
        raise UsageError(f"{expression!r} is no expression: {error.msg}; see `help eval`") from None
    except _FAILED as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise UsageError(f"{expression!r} can't be computed: {said}; mind the shapes and types") from None


class _Walk:
    """Walks through one expression."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def of(self, node: ast.expr) -> Any:
        """Evaluates a part of the expression."""
        walk = getattr(self, f"_{type(node).__name__.lower()}", None)
        if walk is None:
            part = ast.unparse(node)
            raise UsageError(f"{part!r} is not allowed; write arithmetic, comparisons, indexing and functions of NumPy")
        return walk(node)

    def _constant(self, node: ast.Constant) -> Any:
        if node.value is ... or isinstance(node.value, bool | int | float | complex | str):
            return node.value
        if node.value is None:
            return None
        raise UsageError(f"{ast.unparse(node)!r} is no number; write numbers and tensors in backticks")

    def _name(self, node: ast.Name) -> Any:
        return self._names(node.id)

    def _attribute(self, node: ast.Attribute) -> Any:
        name = _numpy_name(node)
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in TYPES:
            return np.dtype(name)
        raise UsageError(_unknown(ast.unparse(node), name))

    def _call(self, node: ast.Call) -> Any:
        name = _numpy_name(node.func)
        if name not in FUNCTIONS:
            raise UsageError(_unknown(ast.unparse(node.func), name))
        given = [self.of(argument) for argument in node.args]
        named = {}
        for keyword in node.keywords:
            if keyword.arg not in KEYWORDS:
                raise UsageError(f"{keyword.arg!r} is not allowed in {name}(); choose from {', '.join(KEYWORDS)}")
            named[keyword.arg] = self.of(keyword.value)
        check_call(name, given, named)
        return FUNCTIONS[name](*given, **named)

    def _binop(self, node: ast.BinOp) -> Any:
        left, right = _number(self.of(node.left)), _number(self.of(node.right))
        compute = _BINARY.get(type(node.op))
        if compute is None:
            raise UsageError(f"{ast.unparse(node)!r} is not allowed; choose one of + - * / // % ** @ & | ^")
        if isinstance(node.op, ast.Pow) and isinstance(left, int) and isinstance(right, int):
            _check_size(left, right)
        if not isinstance(node.op, ast.MatMult):
            check_together(left, right)
        return compute(left, right)

    def _unaryop(self, node: ast.UnaryOp) -> Any:
        return _UNARY[type(node.op)](_number(self.of(node.operand)))

    def _boolop(self, node: ast.BoolOp) -> Any:
        join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
        result = self.of(node.values[0])
        for each in node.values[1:]:
            result = join(result, self.of(each))
        return result

    def _compare(self, node: ast.Compare) -> Any:
        left = _number(self.of(node.left))
        result: Any = None
        for sign, each in zip(node.ops, node.comparators, strict=True):
            if type(sign) not in _COMPARED:
                raise UsageError(f"{ast.unparse(node)!r} is not allowed; compare by < <= > >= == or !=")
            right = _number(self.of(each))
            check_together(left, right)
            holds = _COMPARED[type(sign)](left, right)
            result = holds if result is None else np.logical_and(result, holds)
            left = right
        return result

    def _subscript(self, node: ast.Subscript) -> Any:
        return np.asarray(self.of(node.value))[self.of(node.slice)]

    def _slice(self, node: ast.Slice) -> slice:
        ends = (None if end is None else self.of(end) for end in (node.lower, node.upper, node.step))
        return slice(*ends)

    def _tuple(self, node: ast.Tuple) -> tuple[Any, ...]:
        return tuple(self.of(each) for each in node.elts)

    def _list(self, node: ast.List) -> list[Any]:
        return [self.of(each) for each in node.elts]


def _number(value: Any) -> Any:
    """What can be computed with: lists and tuples become arrays, texts are refused."""
    if isinstance(value, str) or value is None or value is ...:
        raise UsageError(f"{value!r} is no number; tensors stand in backticks, such as `Log:0`")
    if isinstance(value, list | tuple):
        return np.asarray(value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise UsageError("a whole number grows too long; write it with a point, such as 10.0")
    return value


def _check_size(base: int, exponent: int) -> None:
    if abs(base) > 1 and exponent * base.bit_length() > _MOST_BITS:
        raise UsageError(f"{base}**{exponent} is too long a number; write it with a point, such as {base}.0")


def _numpy_name(node: ast.expr) -> str:
    """The name of a function of NumPy, with or without `np.`; no other attribute has one."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
        whole = ".".join(reversed(parts))
        short = whole.removeprefix("numpy.").removeprefix("np.")
        if len(parts) == 1 or whole != short:
            return short
    return ""


def _unknown(written: str, name: str) -> str:
    near = get_close_matches(name, [*FUNCTIONS, *CONSTANTS], n=1) if name else []
    hint = f"did you mean np.{near[0]}?" if near else "`help eval` lists the functions"
    return f"{written!r} is not allowed; {hint}"
