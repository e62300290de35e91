"""An operation as rules see it: its kind, its operands by the part that they play, its traits, where it has a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from tensordbg.operations.collective import Collective
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait


class Role(Enum):
    """The part that an operand plays."""

    LOGARITHM = auto()
    """What the logarithm is taken of."""
    ROOT = auto()
    """What the root is taken of; the variance that a normalisation is given, where it does not compute it."""
    DIVISOR = auto()
    """What is divided by: a 0 in it gives an infinity or NaN."""
    FORWARD_DIVISOR = auto()
    """What a gradient divides by: the output of the operation that it belongs to."""
    DENOMINATOR = auto()
    """What makes the result as large as it is small itself."""


@dataclass(frozen=True)
class Domain:
    """Where a function of an operand has a finite value."""

    low: float
    high: float
    words: str
    open: bool = False
    """Whether it has none at the ends themselves."""
    operand: int = 0

    def of(self, operand: int) -> Domain:
        """Return the same interval for another operand."""
        return Domain(self.low, self.high, self.words, self.open, operand)


@dataclass(frozen=True)
class Operation:
    """The entry of one type of operation."""

    kind: Kind = Kind.OTHER
    operands: Mapping[Role, int] = field(default_factory=dict)
    """Positions among the inputs."""
    indices: tuple[int, ...] = ()
    """The inputs that tell which elements are taken or put, or where."""
    traits: frozenset[Trait] = frozenset()
    domains: tuple[Domain, ...] = ()
    degree: int = 0
    """Of which degree the result is in the largest number that goes in, 2 where a square is taken; 0 if not known."""
    of_nothing: str = ""
    """What a reduction of no elements gives."""
    of_matrix: str = ""
    """What of a matrix, the first input, leaves no finite result."""
    puts_into: str = ""
    """What it puts tensors into that holds them between runs, in words."""
    takes_out_of: str = ""
    engine: str = ""
    """What it runs of which the operations are not known, in words."""
    collective: Collective | None = None
    """What it does together with others, where it does."""
    gradient_of: Kind | None = None
    """The kind that it is the gradient of, where its type tells."""

    def has(self, *traits: Trait) -> bool:
        """Whether it has one of some traits."""
        return not self.traits.isdisjoint(traits)

    def operand(self, role: Role) -> int | None:
        """The position of the operand that plays a part, `None` where none does."""
        return self.operands.get(role)
