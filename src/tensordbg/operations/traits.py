"""Traits: what an operation does with what it is given, as far as rules ask for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum, auto
from types import MappingProxyType


class Trait(Enum):
    """A property that operations of several kinds share."""

    PASSES = auto()
    """Output k holds the elements of input k (of input 0, but for identities of several), in any order and shape."""
    REARRANGES = auto()
    """It hands on elements of its inputs, in another order or shape."""
    HANDS_ON = auto()
    """It puts out what it takes, shape and all."""
    SHAPED_BY_NUMBERS = auto()
    """The shape of what it makes stands in the numbers of an input."""
    MOVES = auto()
    """It makes no number of its own but a filling: also what keeps tensors in lists, or hands them on in a loop."""
    NO_LARGER = auto()
    """What it puts out is no larger than what it took in."""
    LIGHT = auto()
    """Formulas are written of it: through it one looks for what a number was computed from."""
    SHAPE_ONLY = auto()
    """Its output depends on the shapes of its inputs alone, so nothing bad passes through."""
    LOOKS_UP = auto()
    """Input 1 tells which elements of input 0 are given."""
    CHOOSES = auto()
    """Input 0 chooses between the others, element by element."""

    ADDS = auto()
    """It adds or subtracts, with factors of about 1, so that infinities of unlike sign may meet: also a mean."""
    SUMS_UP = auto()
    """It adds up what it has made of each element."""
    MULTIPLIES = auto()
    """It multiplies numbers that it is given with each other."""
    SCALES_ADDEND = auto()
    """It adds what it is given, or the product or quotient of its last two inputs, times a number that is no input."""
    MULTIPLIES_MANY = auto()
    """It multiplies as many numbers as there are, or as an exponent says."""
    CONTRACTS = auto()
    """It sums products."""
    CHANNELS_FIRST = auto()
    """The second dimension of what it puts out is the first of its kernel, input 1."""
    NEEDS_DISTINCT = auto()
    """Its gradient divides by the differences of the values that it gives."""
    DIVIDES = auto()
    """Input 0 is divided by input 1."""
    EXPONENTIAL = auto()
    """It grows as an exponential does."""
    EVEN = auto()
    """It grows to both sides of 0."""
    ONE_PLUS = auto()
    """It takes the logarithm of one more than its operand."""
    NORMALISES = auto()
    """It divides by a standard deviation of its own."""
    DIVIDES_BY_NORM = auto()
    """It divides each row of its first operand by the row's norm, and scales it by its second one."""
    TAKES_MAXIMUM_AWAY = auto()
    """It takes the maximum of a row away before it computes anything."""
    ELEMENT_BY_ELEMENT = auto()
    """Each element of the result is made of one of each operand, which is broadcast."""
    STRICT = auto()
    """A NaN in any of its inputs is one in its output; where a framework regroups, it regroups these."""

    ON_BITS = auto()
    """It works on the bits of whole numbers, as hashes and generators of random numbers do."""
    SCRAMBLES = auto()
    """It gives bits that look like chance: a hash, random numbers, or the bits of something else."""

    COMPARES = auto()
    """It makes booleans or whole numbers of the values of numbers, among them NaN; a cast and a top-k may."""
    GIVES_POSITIONS = auto()
    """It makes positions, or whole numbers that may serve as such, of the values of numbers."""
    UNSCALES = auto()
    """It divides gradients by the scale with which the loss was multiplied."""
    TESTS_FINITE = auto()
    """It asks whether something is bad."""
    WRITES_TEXT = auto()
    """It writes numbers as text: who has it made has read them."""

    FROM_OUTSIDE = auto()
    """What it gives came in from outside of the recorded program."""
    FROM_PIPELINE = auto()
    """It takes a batch, or a result, out of an input pipeline."""
    FROM_SERVICE = auto()
    """It takes its elements from other processes."""
    MAKES_PIPELINE = auto()
    """It makes a stage of an input pipeline, or what the pipeline's batches are handed on in."""
    CALLS_TOGETHER = auto()
    """It makes a stage of a pipeline that runs several calls of its function at the same time."""
    PADS_BATCHES = auto()
    """It makes the stage of a pipeline that pads elements to the sizes which its one-dimensional inputs tell."""
    OF_PIPELINES = auto()
    """It makes an input pipeline, steps through one, or hands on what one gave."""
    CALLS_PYTHON = auto()
    """By it a graph calls a Python function."""
    RUNS_UNSEEN = auto()
    """It runs branches, or the iterations of a loop, whose operations are not seen."""
    READS = auto()
    """It puts out what a variable holds, even where the recorder could not tell which."""
    READS_PARTS = auto()
    """Of the variable that it reads it puts out the elements that are asked for alone."""
    WRITES = auto()
    """It changes the variables whose handles it takes."""
    BUILDS_ON_OLD = auto()
    """It writes a value that depends on the old one."""
    PUTS_IN_PLACE = auto()
    """It puts what it is given into parts of a variable, as it is."""
    VARIES = auto()
    """It may give something else each time, whatever it is given."""
    DRAWS_APART = auto()
    """It draws by a generator of compiled code, which by the same seed gives other numbers than the program's."""
    STANDS_ALONE = auto()
    """Of two that are given the same each may give something else, or run elsewhere."""


IMPLIED: Mapping[Trait, tuple[Trait, ...]] = MappingProxyType(
    {
        Trait.PASSES: (Trait.REARRANGES, Trait.NO_LARGER),
        Trait.REARRANGES: (Trait.MOVES, Trait.LIGHT),
        Trait.CONTRACTS: (Trait.MULTIPLIES,),
        Trait.MULTIPLIES_MANY: (Trait.MULTIPLIES,),
        Trait.EVEN: (Trait.EXPONENTIAL,),
    }
)
"""What has the one trait has the others as well."""


def with_implied(traits: Iterable[Trait]) -> frozenset[Trait]:
    """Return some traits and all that they imply."""
    found: set[Trait] = set()
    left = list(traits)
    while left:
        trait = left.pop()
        if trait not in found:
            found.add(trait)
            left.extend(IMPLIED.get(trait, ()))
    return frozenset(found)
