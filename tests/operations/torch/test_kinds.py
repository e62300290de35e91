"""The table against PyTorch itself: its types exist there."""

from __future__ import annotations

import pytest

from tensordbg.operations.frameworks import framework_of_type
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Role
from tensordbg.operations.torch import TABLE
from tensordbg.operations.traits import Trait

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def _registered() -> frozenset[str]:
    return frozenset(torch._C._dispatch_get_all_op_names())


def test_every_type_exists() -> None:
    registered = {TABLE.plain(name.partition(".")[0]) for name in _registered()}
    of_aten = {name for name in TABLE.types() if name.startswith("aten::")}
    assert of_aten - registered == set()


def test_every_beginning_is_of_some_type() -> None:
    registered = _registered()
    assert [each for each in TABLE.beginnings() if not any(name.startswith(each) for name in registered)] == []


def test_types_of_pytorch_are_told_from_others() -> None:
    assert {framework_of_type(name) for name in _registered()} == {"torch"}
    assert framework_of_type("MatMul") == "tensorflow"


@pytest.mark.parametrize(
    ("op_type", "kind"),
    [
        ("aten::_softmax", Kind.SOFTMAX),
        ("aten::addmm", Kind.MATMUL),
        ("aten::convolution", Kind.CONVOLUTION),
        ("aten::nll_loss_forward", Kind.LABEL_LOSS),
        ("aten::std", Kind.STANDARD_DEVIATION),
    ],
)
def test_kinds(op_type: str, kind: Kind) -> None:
    assert operation("torch", op_type).kind is kind


def test_gradients_tell_of_what_they_are_one() -> None:
    assert operation("torch", "aten::tanh_backward").gradient_of is Kind.TANH
    assert operation("torch", "aten::threshold_backward").gradient_of is Kind.RELU


def test_what_moves_and_what_computes() -> None:
    assert operation("torch", "aten::masked_fill").has(Trait.MOVES)
    assert operation("torch", "aten::view").has(Trait.PASSES)
    assert operation("torch", "aten::bmm").has(Trait.CONTRACTS, Trait.MULTIPLIES)
    assert operation("torch", "aten::log2").operand(Role.LOGARITHM) == 0
