"""What a rule is told of a type: by its whole name, by its beginning, by a word in it, or nothing."""

from __future__ import annotations

import pytest

from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import INPUT, TABLES, is_in_place, operation
from tensordbg.operations.operation import Operation, Role
from tensordbg.operations.traits import Trait


def test_an_unknown_type_is_of_no_kind() -> None:
    assert operation("tensorflow", "MyOwnOperation") == Operation()
    assert operation("tensorflow", "") == Operation()


def test_a_framework_without_a_table_tells_nothing() -> None:
    assert operation("fortran", "Log") == Operation()


@pytest.mark.parametrize("framework", ["fortran", *TABLES])
def test_a_value_from_python_comes_from_outside_in_every_framework(framework: str) -> None:
    assert operation(framework, INPUT).kind is Kind.INPUT
    assert operation(framework, INPUT).has(Trait.FROM_OUTSIDE)


def test_operands_have_their_roles() -> None:
    assert operation("tensorflow", "Xlogy").operand(Role.LOGARITHM) == 1
    assert operation("tensorflow", "RealDiv").operand(Role.DIVISOR) == 1
    assert operation("tensorflow", "Add").operand(Role.DIVISOR) is None


def test_the_gradient_tells_of_what_it_is_one() -> None:
    gradient = operation("tensorflow", "SqrtGrad")
    assert (gradient.kind, gradient.gradient_of) == (Kind.GRADIENT, Kind.SQRT)
    assert gradient.operand(Role.FORWARD_DIVISOR) == 0


@pytest.mark.parametrize("op_type", ["BiasAddGrad", "SegmentSum", "SparseSegmentMeanGrad", "IRFFT2D", "ResizeBicubic"])
def test_sums(op_type: str) -> None:
    assert operation("tensorflow", op_type).has(Trait.ADDS)
    assert not operation("tensorflow", op_type).has(Trait.MULTIPLIES)


@pytest.mark.parametrize("op_type", ["Conv3DBackpropInputV2", "BatchMatMulV3", "_FusedMatMul", "Cross", "Einsum"])
def test_contractions_multiply(op_type: str) -> None:
    assert operation("tensorflow", op_type).has(Trait.CONTRACTS)
    assert operation("tensorflow", op_type).has(Trait.MULTIPLIES)
    assert not operation("tensorflow", op_type).has(Trait.ADDS)


@pytest.mark.parametrize("op_type", ["ResourceScatterNdAdd", "ScatterNdAdd", "AssignAddVariableOp", "AssignAdd"])
def test_updates_add_to_the_old_value(op_type: str) -> None:
    assert operation("tensorflow", op_type).has(Trait.ADDS)
    assert operation("tensorflow", op_type).has(Trait.BUILDS_ON_OLD)


def test_what_passes_on_moves() -> None:
    assert operation("tensorflow", "Reshape").traits >= {Trait.PASSES, Trait.REARRANGES, Trait.MOVES, Trait.NO_LARGER}
    assert operation("tensorflow", "TensorListSetItem").has(Trait.MOVES)
    assert not operation("tensorflow", "MatMul").has(Trait.MOVES)


def test_what_a_pipeline_gives_is_known_by_a_word() -> None:
    assert operation("tensorflow", "IteratorGetNextSync").has(Trait.FROM_PIPELINE)
    assert operation("tensorflow", "ParallelMapDatasetV2").has(Trait.MAKES_PIPELINE)


def test_what_writes_in_place_tells_so_by_its_name() -> None:
    assert is_in_place("aten::add_")
    assert not is_in_place("aten::add")
    assert not is_in_place("aten::__iand__")
    assert not is_in_place("Assign_")
