"""The sets of types agree with each other and with TensorFlow's registry."""

from __future__ import annotations

import pytest

from tensordbg.analysis import operations
from tensordbg.analysis.causes import division, domain, magnitudes


def test_what_passes_does_not_stop() -> None:
    assert not operations.PASSING & operations.VALUE_FREE


@pytest.mark.parametrize(
    "names",
    [
        operations.VALUE_FREE,
        operations.PASSING,
        operations.READS,
        domain._DOMAINS.keys(),
        division._DIVISOR.keys(),
        division._AT_ZERO.keys(),
        magnitudes.SUMS | magnitudes.SQUARES | magnitudes.POWERS | magnitudes.QUOTIENTS | magnitudes.EXPONENTIALS,
    ],
)
def test_tensorflow_knows_every_type(names: frozenset[str]) -> None:
    op_def_registry = pytest.importorskip("tensorflow.python.framework.op_def_registry")
    assert {name for name in names if op_def_registry.get(name) is None} == set()
