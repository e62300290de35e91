from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.console.language.evaluation import evaluate
from tensordbg.errors import UsageError

X = np.arange(6.0).reshape(2, 3)


def names(name: str) -> Any:
    if name == "x":
        return X
    raise UsageError(f"no name {name!r}")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x + 1", X + 1),
        ("-x ** 2 // 3 % 2", -(X**2) // 3 % 2),
        ("x @ np.transpose(x)", X @ X.T),
        ("x[..., -1]", X[..., -1]),
        ("x[::-1, 1:]", X[::-1, 1:]),
        ("x[x > 2]", X[X > 2]),
        ("x[:, np.newaxis]", X[:, None]),
        ("0 < x <= 3 and not x == 2", (X > 0) & (X <= 3) & (X != 2)),
        ("np.sum(x, axis=(0, 1))", 15.0),
        ("numpy.mean(x, axis=0, keepdims=True)", X.mean(axis=0, keepdims=True)),
        ("max(x) - np.linalg.norm([3, 4])", 0.0),
        ("np.where(x > 2, x, 0)", np.where(X > 2, X, 0)),
        ("np.asarray(x, dtype=np.float32)", X.astype(np.float32)),
        ("np.log(x[0, 0])", -np.inf),
    ],
)
def test_it_computes_what_numpy_computes(expression: str, expected: Any) -> None:
    np.testing.assert_array_equal(evaluate(expression, names), expected)


@pytest.mark.parametrize(
    "expression",
    [
        "x.T", "x.__class__", "np.__dict__", "np.lib.npyio", "().__class__", "''.join", "x.tofile('a')",
        "np.save('a', x)", "np.load('a')", "np.fromfile('a')", "np.ndarray.tofile(x, 'a')", "np.vectorize(abs)",
        "open('a')", "eval('1')", "__import__('os')", "lambda: 1", "[y for y in x]", "(y := 1)", "x if x else 1",
        "f'{x}'", "np.add(x, x, out=x)", "np.sum(*x)", "np.sum(**{})", "{1: 2}", "x is x", "1 in x", "np.sum",
        "(lambda: 1)()", "np.sum(x).item()", "linalg.norm.__globals__",
    ],
)  # fmt: skip
def test_nothing_else_can_be_reached(expression: str) -> None:
    with pytest.raises(UsageError, match=r"not allowed|no name"):
        evaluate(expression, names)


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("x +", "is no expression"),
        ("x + y", "no name 'y'"),
        ("np.som(x)", "did you mean np.sum?"),
        ("x @ x", "can't be computed: .*; mind the shapes and types"),
        ("x[7]", "can't be computed: index 7 is out of bounds"),
        ("1 // 0", "can't be computed"),
        ("9 ** 9 ** 9", "is too long a number"),
        ("'a' * 3", "'a' is no number"),
        ("(" * 500 + "x" + ")" * 500, "can't be computed|is no expression"),
        ("x+" * 6000 + "x", "has more than 10000 signs"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(expression: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        evaluate(expression, names)
    assert "\n" not in str(caught.value)
