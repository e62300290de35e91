"""Two runs side by side, for the page: where they part, and how far apart what corresponds is."""

from __future__ import annotations

from dataclasses import dataclass

from tensordbg.analysis.diff.result import ComparedTensor, Comparison
from tensordbg.wire.view.source import LineView, line_view


@dataclass(frozen=True)
class ComparedPlace:
    """Where one of the two first values that differ was computed."""

    tensor: str
    event: int
    layer: str
    source: LineView | None


@dataclass(frozen=True)
class BothRow:
    """A fact of both values: `min`, `type`."""

    name: str
    a: str
    b: str


@dataclass(frozen=True)
class PairView:
    """Two values that correspond."""

    step: int
    a: str
    b: str
    event_a: int
    event_b: int
    line_a: str
    line_b: str
    error: float | None
    """Null where they can't be compared."""
    state: str
    """`equal`, `added` or `inherited`."""
    backward: bool


@dataclass(frozen=True)
class ParameterView:
    """A parameter of both runs that is not the same, or of one alone."""

    a: str
    b: str
    status: str
    error: float | None


@dataclass(frozen=True)
class StepErrorView:
    """How far a step is apart."""

    step: int
    error: float


@dataclass(frozen=True)
class ComparisonTexts:
    """The words of the report."""

    headline: str
    rows: tuple[tuple[str, str, str], ...]
    sentences: tuple[str, ...]
    totals: str


@dataclass(frozen=True)
class ComparisonView:
    """The run that is shown, B, beside another, A, which is the reference."""

    status: str
    """`same`, `diverged` or `not_comparable`."""
    headline: str
    sentences: tuple[str, ...]
    totals: str
    tolerance: float
    a: ComparedPlace | None
    b: ComparedPlace | None
    rows: tuple[BothRow, ...]
    pairs: tuple[PairView, ...]
    parameters: tuple[ParameterView, ...]
    steps: tuple[StepErrorView, ...]


def comparison_view(result: Comparison, texts: ComparisonTexts) -> ComparisonView:
    """A comparison for the page."""
    first = result.first
    return ComparisonView(
        status=result.status,
        headline=texts.headline,
        sentences=texts.sentences,
        totals=texts.totals,
        tolerance=result.tolerance,
        a=None if first is None else _place(first.a),
        b=None if first is None else _place(first.b),
        rows=tuple(BothRow(*row) for row in texts.rows),
        pairs=tuple(
            PairView(
                each.step, each.a, each.b, each.event_a, each.event_b, each.line_a, each.line_b, each.error,
                each.state, each.backward,
            )
            for each in result.errors
        ),
        parameters=tuple(
            ParameterView(each.a, each.b, each.status, each.error)
            for each in result.parameters
            if each.status not in ("equal", "transposed")
        ),
        steps=tuple(StepErrorView(each.step, each.error) for each in result.steps),
    )  # fmt: skip


def _place(tensor: ComparedTensor | None) -> ComparedPlace | None:
    if tensor is None:
        return None
    return ComparedPlace(tensor.view.tensor, tensor.view.event, tensor.layer, line_view(tensor.source))
