from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.console.language.bounded_evaluation import Bounds, evaluate_bounded
from tensordbg.errors import UsageError

VALUES: dict[str, Any] = {"x": np.arange(6.0).reshape(2, 3), "wide": np.ones((1, 40_000)), "n": 3}


def names(name: str) -> Any:
    if name not in VALUES:
        raise UsageError(f"no name {name!r}")
    return VALUES[name]


@pytest.mark.parametrize(
    "expression", ["np.sum(x, axis=1) * n", "x > 2", "2 ** n", "x[..., -1] + np.pi", "np.linalg.norm(x)"]
)
def test_it_is_what_numpy_computes(expression: str) -> None:
    np.testing.assert_array_equal(evaluate_bounded(expression, names), eval(expression, {"np": np, **VALUES}))


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("x +", "is no expression"),
        ("y + 1", "no name 'y'"),
        ("x.T", "'x.T' is not allowed"),
        ("x @ x", "can't be computed"),
        ("(" * 5000, "is no expression|can't be computed"),
    ],
)
def test_what_can_not_be_computed(expression: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        evaluate_bounded(expression, names)


@pytest.mark.parametrize(
    "expression",
    [
        "np.dot(wide.reshape(40000, 1), wide)",
        "np.matmul(np.transpose(wide), wide)",
        "np.add(np.transpose(wide), wide)",
        "np.where(np.transpose(wide) > wide, 1.0, 0.0)",
        "np.einsum('ij,kl->ijkl', wide, wide)",
        "np.tensordot(wide, wide, 0)",
        "np.diag(wide[0])",
        "wide[np.zeros((40000, 1), dtype=np.int64)]",
        "np.cov(np.transpose(wide))",
        "np.isclose(np.transpose(wide), wide)",
        "np.concatenate([np.tile(wide, (1000, 1)), np.tile(wide, (1000, 1))])",
        "np.take(wide, np.zeros(2000000000, dtype=np.uint8))",
    ],
)
def test_a_result_that_is_too_large(expression: str) -> None:
    expression = expression.replace("wide.reshape(40000, 1)", "np.reshape(wide, (40000, 1))")
    with pytest.raises(UsageError) as raised:
        evaluate_bounded(expression, names, Bounds(memory=2**30))
    assert len(str(raised.value)) < 1000


def test_what_takes_too_long() -> None:
    with pytest.raises(UsageError, match=r"takes longer than 0\.5 seconds; compute with a slice"):
        evaluate_bounded("np.linalg.svd(np.ones((6000, 6000)))", names, Bounds(seconds=0.5))
