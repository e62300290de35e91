"""A softmax and a sigmoid are found however they are written."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.operations.composites import (
    is_of_exponentials,
    is_one_less_squared_tanh,
    is_product_of_probabilities,
    kind_of,
    probability_behind,
)
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Operation


@dataclass(frozen=True)
class Made:
    """A value, by the type of its operation."""

    op_type: str
    operands: tuple[Made, ...] = ()

    @property
    def operation(self) -> Operation:
        """What is known of it."""
        return operation("tensorflow", self.op_type)


LOGITS = Made("MatMul")
EXPONENTIALS = Made("Exp", (LOGITS,))
SIGMOID = Made("Reciprocal", (Made("AddV2", (EXPONENTIALS, Made("Const"))),))


def written_softmax(division: str) -> Made:
    return Made(division, (EXPONENTIALS, Made("Sum", (EXPONENTIALS, Made("Const")))))


def test_a_softmax_of_exponentials_and_a_division() -> None:
    for division in ("Div", "DivNoNan", "RealDiv"):
        assert kind_of(written_softmax(division)) is Kind.SOFTMAX


def test_a_sigmoid_of_an_exponential_and_a_reciprocal() -> None:
    assert kind_of(SIGMOID) is Kind.SIGMOID


def test_a_quotient_of_other_things_is_a_quotient() -> None:
    assert kind_of(Made("RealDiv", (LOGITS, Made("Sum", (LOGITS,))))) is Kind.DIVIDE
    assert probability_behind(Made("RealDiv", (LOGITS, Made("Sum", (LOGITS,))))) is None


def test_a_bound_and_a_reshape_are_looked_through() -> None:
    assert probability_behind(Made("Maximum", (Made("Reshape", (written_softmax("RealDiv"),)), Made("Const")))) is (
        Kind.SOFTMAX
    )
    assert probability_behind(Made("Reshape", (Made("Sigmoid", (LOGITS,)),))) is Kind.SIGMOID


def test_what_a_contraction_makes_of_a_probability_is_none() -> None:
    assert probability_behind(Made("MatMul", (Made("Softmax", (LOGITS,)),))) is None


def test_a_probability_weighted_by_what_is_computed_as_well_is_none() -> None:
    softmax, density = Made("Softmax", (LOGITS,)), Made("RealDiv", (EXPONENTIALS, Made("Const")))
    assert probability_behind(Made("Sum", (Made("Mul", (softmax, density)),))) is None
    assert probability_behind(Made("Sum", (Made("Mul", (softmax, Made("OneHot"))),))) is Kind.SOFTMAX


def test_sums_products_and_multiples_of_exponentials() -> None:
    density = Made("RealDiv", (EXPONENTIALS, Made("Const")))
    assert is_of_exponentials(Made("Sum", (Made("Mul", (Made("Softmax", (LOGITS,)), density)),)))
    assert not is_of_exponentials(Made("RealDiv", (Made("Const"), EXPONENTIALS)))
    assert not is_of_exponentials(Made("Sub", (Made("Const"), EXPONENTIALS)))
    assert not is_of_exponentials(LOGITS)


def test_one_less_a_squared_tanh() -> None:
    tanh = Made("Tanh", (LOGITS,))
    for square in (Made("Square", (tanh,)), Made("Pow", (tanh, Made("Const"))), Made("Mul", (tanh, tanh))):
        assert is_one_less_squared_tanh(Made("Sub", (Made("Const"), square)))
    assert not is_one_less_squared_tanh(Made("Sub", (Made("Const"), Made("Square", (LOGITS,)))))


def test_a_product_of_many_probabilities() -> None:
    softmax = Made("Softmax", (LOGITS,))
    forward = Made("Mul", (Made("MatMul"), Made("Reshape", (softmax,))))
    assert is_product_of_probabilities(Made("Sum", (forward,)))
    assert probability_behind(Made("Sum", (forward,))) is None
    assert not is_product_of_probabilities(Made("Sum", (Made("Mul", (softmax, Made("OneHot"))),)))
    assert not is_product_of_probabilities(softmax)
