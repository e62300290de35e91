"""Tensors that can't be what their operation gave."""

from __future__ import annotations

import numpy as np
import pytest

from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


@pytest.mark.parametrize(("op_type", "shape", "known"), [
    ("Sub", (), False), ("Sub", (8, 1), True), ("Mean", (), True), ("Mul", (8, 2), True),
])  # fmt: skip
def test_a_sum_smaller_than_what_went_in(op_type: str, shape: tuple[int, ...], known: bool) -> None:
    trace = TraceBuilder()
    f = trace.function("f")
    x = f.argument("x")
    one = f.op("Const")
    made = f.op(op_type, one, x, name="made")
    for _ in range(6):
        run = trace.run(f)
        run.event(x, np.ones((8, 1)))
        run.event(one, 1.0)
        run.event(made, np.ones(shape))
    seen = studied(trace)
    assert ("made:0" in [seen.name(k) for k in range(len(seen.series))]) is known


def test_what_eager_operations_gave_is_what_it_is() -> None:
    trace = TraceBuilder()
    for _ in range(6):
        given = trace.eager("Relu", values=np.ones(8))
        trace.eager("Sub", trace.output(given), values=1.0)
    seen = studied(trace)
    assert {seen.site(k).op_type for k in range(len(seen.series))} == {"Relu", "Sub"}
