from __future__ import annotations

from typing import Any

import pytest

torch: Any = pytest.importorskip(
    "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
)

from tensordbg.backends.torch.dispatching.operations import operation_of  # noqa: E402  it imports PyTorch

aten = torch.ops.aten


def test_a_schema_tells_what_is_written_and_what_is_read() -> None:
    add, copy = operation_of(aten.add_.Tensor), operation_of(aten.copy_.default)
    assert add.name == "aten::add_"
    assert [(each.writes, each.reads) for each in add.arguments[:2]] == [(True, True), (False, True)]
    assert [(each.writes, each.reads) for each in copy.arguments[:2]] == [(True, False), (False, True)]
    assert operation_of(aten.log.out).arguments[1][1:3] == (True, False)


def test_views_and_empty_memory_are_told() -> None:
    assert operation_of(aten.view.default).is_view
    assert not operation_of(aten.clone.default).is_view
    assert operation_of(aten.empty.memory_format).unwritten
    assert operation_of(aten._foreach_add_.List).of_each
    assert operation_of(aten._local_scalar_dense.default).hands_out


def test_numbers_that_are_computed_with_are_told_from_settings() -> None:
    fill = operation_of(aten.masked_fill.Scalar)
    assert [each.is_number for each in fill.arguments] == [True, True, True]
    assert [each.is_number for each in operation_of(aten.add.Tensor).arguments] == [True, True, False]
    assert not operation_of(aten.sum.dim_IntList).arguments[1].is_number


def test_operations_have_numbers_of_their_own() -> None:
    assert operation_of(aten.log.default).number == operation_of(aten.log.default).number
    assert operation_of(aten.log.default).number != operation_of(aten.exp.default).number
