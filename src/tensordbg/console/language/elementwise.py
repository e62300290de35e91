"""Which expressions make of columns nothing but another column, so that they need no bounds of memory and time.

`abs(min) > 0.5 * size` looks at each tensor once, however many there are. A function such as `ones` or `sort`, an index
or a list may make anything of them.
"""

from __future__ import annotations

import ast

import numpy as np

from tensordbg.console.language.functions import FUNCTIONS

_PARTS = (
    *(ast.Compare, ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Name, ast.Attribute, ast.Constant, ast.Call),
    *(ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop),
)


def is_elementwise(expression: str) -> bool:
    """Whether an expression is made of arithmetic, comparisons and functions of single numbers alone."""
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return all(map(_is_simple, ast.walk(tree)))


def _is_simple(part: ast.AST) -> bool:
    if isinstance(part, ast.Call):
        name = ast.unparse(part.func).removeprefix("numpy.").removeprefix("np.")
        function = FUNCTIONS.get(name)
        # One with a signature takes whole arrays, as matmul does.
        return isinstance(function, np.ufunc) and function.signature is None and not part.keywords
    return isinstance(part, _PARTS) and not isinstance(part, ast.MatMult)
