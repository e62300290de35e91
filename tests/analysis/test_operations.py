"""The sets of types agree with each other and with TensorFlow's registry."""

from __future__ import annotations

import pytest

from tensordbg.analysis import kinds, operations


def test_what_passes_does_not_stop() -> None:
    assert not operations.PASSING & operations.VALUE_FREE


@pytest.mark.parametrize(
    "names",
    [
        operations.VALUE_FREE,
        operations.PASSING,
        operations.READS,
        operations.OUTSIDE - {operations.INPUT},
        kinds.SOFTMAX | kinds.SUMS | kinds.PRODUCTS | kinds.POWERS | kinds.EXPONENTIALS | kinds.NO_LARGER,
        {*kinds.DEGREES, *kinds.DIVISOR, *kinds.QUOTIENTS, *kinds.GRADIENT_DIVISOR, *kinds.LOGARITHM_OF},
        {*kinds.ROOT_OF, *kinds.OF_NOTHING, *kinds.MATRICES, *kinds.DOMAINS},
    ],
)
def test_tensorflow_knows_every_type(names: frozenset[str]) -> None:
    op_def_registry = pytest.importorskip("tensorflow.python.framework.op_def_registry")
    assert {name for name in names if op_def_registry.get(name) is None} == set()
