"""Findings of a comparison, as frozen dataclasses: the input of `wire` and `report`."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.finding import SourceLine, TensorView


@dataclass(frozen=True)
class ComparedTensor:
    """A tensor of one of the runs, with its layer and its line."""

    view: TensorView
    layer: str
    """Path of the layer or module that computed it; empty where there is none."""
    source: SourceLine | None


@dataclass(frozen=True)
class AttributeDifference:
    """An attribute or a constant of the two operations that is not the same."""

    attribute: str
    a: object
    b: object


@dataclass(frozen=True)
class Measured:
    """How far two values are apart, element by element."""

    largest: float
    """The largest difference of two elements; infinite where only one of them is finite."""
    relative: float | None
    """It, beside the largest finite magnitude in A; None where that is zero."""
    position: tuple[int, ...]
    """Where in A it is."""
    a: float | complex
    b: float | complex
    unequal: int
    """So many elements are not equal to the bit."""
    size: int


@dataclass(frozen=True)
class FirstDifference:
    """Where the two runs part."""

    kind: str
    """`value`, `shape`, `parameter`, `input`, `missing`, `random` or `update`."""
    a: ComparedTensor | None
    b: ComparedTensor | None
    error: float | None
    """The distance of the two, see `matching.py`; None where they are not the same value computed otherwise. Where a
    second run has measured what is added it is that: the largest difference, beside the largest element of A."""
    added: bool | None
    """Whether it is made there: all that went in agrees, or a second run says so. None where that is not known."""
    difference: tuple[AttributeDifference, ...]
    explanation: str
    suggestion: str
    only: tuple[ComparedTensor, ...] = ()
    """Of the kind `missing`: what the one run computes and the other does not."""
    measured: Measured | None = None
    """The two compared element by element; None where their elements were not kept."""
    rerun: Measured | None = None
    """A's value beside what B's operation makes of A's inputs, see `rerun.py`; None where that is not known."""


@dataclass(frozen=True)
class ParameterPair:
    """A parameter, as it was when it was first read, and its partner in the other run."""

    a: str
    """Empty where only B has it."""
    b: str
    status: str
    """`equal`, `transposed`, `differs`, `only_a` or `only_b`."""
    error: float | None
    shape_a: tuple[int, ...] | None = None
    shape_b: tuple[int, ...] | None = None


@dataclass(frozen=True)
class StepError:
    """How far the values of a step that correspond are apart: the median of their distances."""

    step: int
    error: float


@dataclass(frozen=True)
class PairError:
    """Two values that correspond, and how far they are apart: a row of a table that pandas and Polars take as it is."""

    step: int
    a: str
    b: str
    line_a: str
    """`model.py:41`; empty where it is not known."""
    line_b: str
    error: float | None
    """Their distance, see `matching.py`; None where they can't be compared: of unlike sizes, or only one finite."""
    state: str
    """`equal`, `added` where the difference is made there, or `inherited` where it came in."""
    backward: bool
    size: int
    event_a: int
    event_b: int


@dataclass(frozen=True)
class Comparison:
    """The answer: A is the reference."""

    status: str
    """`same`, `diverged` or `not_comparable`."""
    matched: int
    """Values of B that A has too."""
    unmatched_a: int
    unmatched_b: int
    tolerance: float
    first: FirstDifference | None = None
    also: tuple[FirstDifference, ...] = ()
    """Other places at which they part, independent of the first."""
    parameters: tuple[ParameterPair, ...] = ()
    steps: tuple[StepError, ...] = ()
    only_a: tuple[ComparedTensor, ...] = ()
    """Some of the values that B has not, the first ones."""
    only_b: tuple[ComparedTensor, ...] = ()
    notes: tuple[str, ...] = ()
    errors: tuple[PairError, ...] = ()
    """How far what corresponds is apart, in the order of the data flow; of long runs some, see `error_flow.py`."""
