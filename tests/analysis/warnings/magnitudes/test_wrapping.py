"""Whole numbers that went round, by what was recorded of them."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.analysis.warnings.magnitudes.wrapping import wrapped_integers
from tensordbg.analysis.warnings.study.study import Finding
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def findings(first: int, second: int, dtype: str, behind: str = "", op_type: str = "AddV2") -> list[Finding]:
    """What is said of an operation of two numbers that gave their sum, as far as the type holds it."""
    trace = TraceBuilder()
    f = trace.function("f")
    a, b = f.argument("a", dtype=dtype), f.argument("b", dtype=dtype)
    total = f.op(op_type, a, b, dtype=dtype, line=7)
    if behind:
        f.op(behind, total, dtype=dtype)
    with np.errstate(over="ignore"):
        gave = np.array([first], dtype) + np.array([second], dtype)
    for _ in range(3):
        run = trace.run(f)
        for ref, value in ((a, np.array([first], dtype)), (b, np.array([second], dtype)), (total, gave)):
            run.event(ref, value)
    return wrapped_integers(studied(trace))


@pytest.mark.parametrize(("first", "second", "dtype"), [(200, 100, "uint8"), (2**31 - 1, 1, "int32")])
def test_a_sum_that_went_round(first: int, second: int, dtype: str) -> None:
    (finding,) = findings(first, second, dtype)
    assert finding.kind == "wrapped_integers"
    assert f"of {dtype} went round" in finding.explanation
    assert finding.evidence["dtype"] == dtype


@pytest.mark.parametrize(
    ("first", "second", "dtype", "behind"),
    [
        (200, 55, "uint8", ""),
        (2**31 - 2, 1, "int32", ""),
        (2**32 - 1, 5, "uint32", ""),
        (200, 100, "uint8", "BitwiseAnd"),
        (2**31 - 1, 1, "int32", "FloorMod"),
    ],
)
def test_what_fits_and_what_is_meant(first: int, second: int, dtype: str, behind: str) -> None:
    assert findings(first, second, dtype, behind) == []


def test_operations_that_are_not_judged() -> None:
    assert findings(200, 100, "uint8", op_type="Custom") == []
