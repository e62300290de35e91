"""The tables of what operations compute do not contradict each other."""

from __future__ import annotations

import pytest

from tensordbg.analysis import kinds


@pytest.mark.parametrize("op_type", ["BiasAddGrad", "SegmentSum", "SparseSegmentMeanGrad", "IRFFT2D", "ResizeBicubic"])
def test_sums(op_type: str) -> None:
    assert kinds.adds(op_type)
    assert not kinds.multiplies(op_type)


@pytest.mark.parametrize("op_type", ["Conv3DBackpropInputV2", "BatchMatMulV3", "_FusedMatMul", "Cross", "Einsum"])
def test_contractions(op_type: str) -> None:
    assert kinds.contracts(op_type)
    assert kinds.multiplies(op_type)
    assert not kinds.adds(op_type)


def test_an_operation_that_makes_nothing_larger_is_of_no_other_kind() -> None:
    larger = kinds.SUMS | kinds.PRODUCTS | kinds.POWERS | kinds.EXPONENTIALS | set(kinds.DEGREES) | set(kinds.DOMAINS)
    assert kinds.NO_LARGER & larger == set()


def test_every_root_and_quotient_takes_one_of_its_inputs() -> None:
    for table in (kinds.DIVISOR, kinds.QUOTIENTS, kinds.GRADIENT_DIVISOR, kinds.LOGARITHM_OF, kinds.ROOT_OF):
        assert all(0 <= position <= 4 for position in table.values())


def test_domains_are_intervals() -> None:
    assert all(each.low < each.high and each.words for domains in kinds.DOMAINS.values() for each in domains)
