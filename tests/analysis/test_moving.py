"""Which operations only move numbers."""

from __future__ import annotations

import pytest

from tensordbg.analysis.moving import moves


@pytest.mark.parametrize("op_type", ["GatherV2", "Reshape", "OptionalGetValue", "TensorListStack", "DynamicStitch"])
def test_what_hands_on_what_it_is_given_moves(op_type: str) -> None:
    assert moves(op_type)


@pytest.mark.parametrize("op_type", ["Add", "Cast", "Mean", "Softmax", "TensorScatterAdd", "MatMul", "Max"])
def test_what_computes_does_not(op_type: str) -> None:
    assert not moves(op_type)
