"""A table of a framework that does not exist."""

from __future__ import annotations

from tensordbg.operations.kinds import Kind
from tensordbg.operations.table import Table
from tensordbg.operations.traits import Trait

TABLE = Table(
    kinds={Kind.LOG: ("ln",)},
    kind_beginnings={"conv": Kind.CONVOLUTION, "conv_grad": Kind.NORMALISE},
    gradient_of={"ln_back": Kind.LOG, "conv_back": Kind.CONVOLUTION},
    traits={Trait.ADDS: frozenset({"ln"})},
    trait_beginnings={Trait.CONTRACTS: ("conv",)},
    trait_words={Trait.FROM_PIPELINE: ("next",)},
)


def test_the_longest_beginning_gives_the_kind() -> None:
    assert TABLE.find("conv2").kind is Kind.CONVOLUTION
    assert TABLE.find("conv_grad2").kind is Kind.NORMALISE


def test_a_gradient_that_is_of_a_kind_itself_keeps_it() -> None:
    assert (TABLE.find("ln_back").kind, TABLE.find("ln_back").gradient_of) == (Kind.GRADIENT, Kind.LOG)
    assert (TABLE.find("conv_back").kind, TABLE.find("conv_back").gradient_of) == (Kind.CONVOLUTION, Kind.CONVOLUTION)


def test_traits_come_from_the_name_its_beginning_and_the_words_in_it() -> None:
    assert TABLE.find("ln").traits == {Trait.ADDS}
    assert TABLE.find("conv_next").traits == {Trait.CONTRACTS, Trait.MULTIPLIES, Trait.FROM_PIPELINE}


def test_the_types_are_those_that_stand_there_whole() -> None:
    assert TABLE.types() == {"ln", "ln_back", "conv_back"}
    assert TABLE.beginnings() == {"conv", "conv_grad"}
