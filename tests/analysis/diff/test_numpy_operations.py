from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.analysis.diff.numpy_operations import NotKnownError, compute
from tensordbg.operations.kinds import Kind

X = np.array([[1.0, -2.0, 4.0], [0.5, 0.0, -1.0]], "float32")


@pytest.mark.parametrize(
    ("kind", "given", "settings", "wanted"),
    [
        (Kind.SUBTRACT, [X, X], {"alpha": 2}, -X),
        (Kind.SUM, [X, np.array([0], "int32")], {"keep_dims": True}, [[1.5, -2.0, 3.0]]),
        (Kind.MEAN, [X], {"axis": [1]}, [1.0, -1 / 6]),
        (Kind.SUM, [X], {}, 2.5),
        (Kind.MATMUL, [X, X], {"transpose_b": True}, [[21.0, -3.5], [-3.5, 1.25]]),
        (Kind.MATMUL, [np.ones(2), X, X.T], {"alpha": 2, "beta": 3}, [[45.0, -4.0], [-4.0, 5.5]]),
        (Kind.LOG_SOFTMAX, [np.array([0.0, 0.0])], {"axis": 0}, np.log([0.5, 0.5])),
        (Kind.LEAKY_RELU, [X], {"slope": 0.5}, [[1.0, -1.0, 4.0], [0.5, 0.0, -0.5]]),
        (Kind.CLIP, [X], {"min": -1, "max": None}, [[1.0, -1.0, 4.0], [0.5, 0.0, -1.0]]),
        (Kind.NORMALISE, [np.array([[-1.0, 1.0]])], {"normalized_shape": [2], "epsilon": 3.0}, [[-0.5, 0.5]]),
        (Kind.MAX_POOL, [X[None, None]], {"kernel_size": [2, 2], "stride": [1, 1]}, [[[[1.0, 4.0]]]]),
        (Kind.SELECT, [X > 0, X, np.float32(9)], {}, [[1.0, 9.0, 4.0], [0.5, 9.0, 9.0]]),
    ],
)  # fmt: skip
def test_it_is_computed_in_float64(kind: Kind, given: list[Any], settings: dict[str, Any], wanted: Any) -> None:
    found = compute(kind, given, settings)
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, wanted, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "given", "settings"),
    [
        (Kind.CONVOLUTION, [X, X], {}),
        (Kind.LEAKY_RELU, [X], {}),
        (Kind.EXP, [X, X], {}),
        (Kind.MATMUL, [X, X], {}),
        (Kind.DIVIDE, [X, X], {"rounding_mode": "floor"}),
    ],
)
def test_what_is_not_known_is_not_computed(kind: Kind, given: list[Any], settings: dict[str, Any]) -> None:
    with pytest.raises(NotKnownError):
        compute(kind, given, settings)
