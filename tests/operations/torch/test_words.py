"""Names of types: `mul_`, `_foreach_mul_` and `_foreach_mul` compute what `mul` does."""

from __future__ import annotations

import pytest

from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Role
from tensordbg.operations.torch.words import names, plain


@pytest.mark.parametrize("op_type", ["aten::div", "aten::div_", "aten::_foreach_div", "aten::_foreach_div_"])
def test_all_ways_to_divide(op_type: str) -> None:
    assert plain(op_type) == "aten::div"
    assert operation("torch", op_type).operand(Role.DIVISOR) == 1


def test_others_are_left_as_they_are() -> None:
    assert plain("aten::__and__") == "aten::__and__"
    assert plain("mine::thing_") == "mine::thing_"


def test_names_stand_once() -> None:
    assert names("add sub") == {"aten::add", "aten::sub"}
    with pytest.raises(AssertionError):
        names("add add")


def test_what_another_library_brought_is_of_no_kind() -> None:
    assert operation("torch", "mine::log").kind is Kind.OTHER
