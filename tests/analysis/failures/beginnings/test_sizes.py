"""Where a size came from that was asked for: what computed it, or what it came in with."""

from __future__ import annotations

import pytest

from tensordbg.analysis.failures.beginnings.sizes import beginnings_of, is_of_size
from tests.analysis.beginnings.drawn import Drawn


@pytest.mark.parametrize(("op_type", "is_one"), [("Reshape", True), ("BroadcastTo", True), ("MatMul", False)])
def test_operations_that_are_told_a_size(op_type: str, is_one: bool) -> None:
    message = "Input to reshape is a tensor with 40 values, but the requested shape has 36"
    assert is_of_size(op_type, message) is is_one


def test_each_part_that_was_computed_or_came_in() -> None:
    past = Drawn()
    ten, three = (past.made("Placeholder", dtype="int32", span=(k, k)) for k in (10, 3))
    size = past.made("FloorDiv", (), ten, three, dtype="int32", span=(3, 3))
    wide = past.made("Cast", (), size, dtype="int64", span=(3, 3))
    batch = past.made(
        "StridedSlice", (), past.made("Shape", [2], dtype="int32", span=(4, 10)), dtype="int32", span=(4, 4)
    )
    literal = past.made("Const", dtype="int32", span=(2, 2))
    packed = past.made("Pack", [5], batch, literal, three, wide, None, dtype="int32", span=(2, 4))
    x = past.made("Placeholder", [4, 10])
    turns = list(beginnings_of(past, [x, packed]))
    assert [(position, turn.made) for position, turn in turns] == [(1, three), (1, size)]
    assert turns[1][1].given == (ten, three)


def test_a_size_as_a_whole() -> None:
    past = Drawn()
    size = past.made("Mul", [2], past.made("Const", [2], dtype="int32", span=(1, 4)), dtype="int32", span=(2, 8))
    assert [turn.made for _, turn in beginnings_of(past, [past.made("Input", [4]), size])] == [size]
    assert not list(beginnings_of(past, [past.made("Input", [4]), past.made("Mul", [2]), None]))
