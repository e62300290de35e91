"""Half-precision numbers at the ends of their range."""

from __future__ import annotations

from typing import Any

import pytest

from tensordbg.analysis.warnings.magnitudes.half_precision import half_precision
from tensordbg.analysis.warnings.study.study import Finding
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def findings(op_type: str, given: Any, made: Any, dtype: str = "float16", subnormal: int = 0) -> list[Finding]:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    y = f.op(op_type, x, dtype=dtype)
    run = trace.run(f)
    run.event(x, given)
    run.event(y, made)
    trace.events[-1]["subnormal"] = subnormal
    return half_precision(studied(trace))


def test_a_bias_that_begins_near_zero_is_no_trouble() -> None:
    trace = TraceBuilder()
    bias = trace.variable("bias", "[2]", trainable=True)
    f = trace.function("f")
    read = f.read(bias)
    half = f.op("Cast", read, dtype="float16")
    run = trace.run(f)
    run.event(read, [1e-9, 1e-9])
    run.event(half, [0.0, 0.0])
    assert half_precision(studied(trace)) == []


def test_close_to_the_largest_number() -> None:
    (finding,) = findings("MatMul", [1.0], [50000.0, -1.0])
    assert finding.evidence == {"largest_magnitude": 50000.0, "limit": 65504.0, "step": 0}
    assert "76.3 % of 6.55e4, the largest number of float16" in finding.explanation


def test_flushed_in_a_cast() -> None:
    (finding,) = findings("Cast", [1e-9, 2e-9, 1e-5, 0.0], [0.0, 0.0, 1e-5, 0.0], subnormal=1)
    assert finding.evidence == {"elements": 4, "flushed_to_zero": 2, "subnormal": 1, "share": 1.0}
    assert "2 became zero in the cast, 1 are below 6.104e-5" in finding.explanation


@pytest.mark.parametrize(
    ("op_type", "given", "made", "dtype"),
    [
        ("MatMul", [1.0], [20000.0], "float16"),
        ("MatMul", [1.0], [50000.0], "bfloat16"),
        ("MatMul", [1.0], [50000.0], "float32"),
        ("AddV2", [1.0], [-65504.0, 1.0], "float16"),  # a mask
        ("Cast", [1e-9, 1.0], [0.0, 1.0], "float16"),  # next to a large one it makes no difference
        ("Cast", [0.0, 1e-3], [0.0, 1e-3], "float16"),
        ("Relu", [-1.0, 1e-3], [0.0, 1e-3], "float16"),
    ],
)
def test_no_trouble(op_type: str, given: Any, made: Any, dtype: str) -> None:
    assert findings(op_type, given, made, dtype) == []
