"""How a run went, row by row over its steps, for the page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tensordbg.analysis.view.progress.reading import Progress, ShownRow


@dataclass(frozen=True)
class ProgressRowView:
    """One row of the heat map."""

    name: str
    """Path of the layer, `file.py:12`, or name of the variable."""
    kind: str
    """Class of the layer, text of the line, or `variable`."""
    depth: int
    values: tuple[float | None, ...]
    """One for each column, the largest of its steps; null where there is none."""
    events: tuple[int | None, ...]
    """The events that they are of."""


@dataclass(frozen=True)
class ProgressLineView:
    """A number over the steps."""

    what: str
    """`loss` or `learning_rate`."""
    name: str
    steps: tuple[int, ...]
    values: tuple[float, ...]
    events: tuple[int, ...]
    """Empty where an optimizer is set to it and no tensor holds it."""


@dataclass(frozen=True)
class SightView:
    """Something that is worth a look."""

    text: str
    event: int
    measure: str
    """Which measure shows it; empty for the loss."""


@dataclass(frozen=True)
class ProgressView:
    """One measure over the steps."""

    measure: str
    """`activations` (the root of the mean square), `gradients` (their norm), `updates` (their norm over that of the
    weights), `zeros` (their share) or `not_finite` (how many elements)."""
    measures: tuple[str, ...]
    """Those of which anything is known."""
    starts: tuple[int, ...]
    """The first step of each column."""
    last_step: int
    rows: tuple[ProgressRowView, ...]
    left_out: int
    """Rows that there are besides, those with the smallest values."""
    lines: tuple[ProgressLineView, ...]
    sights: tuple[SightView, ...]


_DIGITS = 4


def progress_view(progress: Progress) -> ProgressView:
    """One measure; numbers have as many digits as one sees."""
    return ProgressView(
        measure=progress.measure,
        measures=progress.measures,
        starts=progress.starts,
        last_step=progress.last_step,
        rows=tuple(map(_row, progress.rows)),
        left_out=progress.left_out,
        lines=tuple(
            ProgressLineView(line.what, line.name, line.steps, tuple(map(_rounded, line.values)), line.events)
            for line in progress.lines
        ),
        sights=tuple(SightView(sight.text, sight.event, sight.measure) for sight in progress.sights),
    )


def _row(shown: ShownRow) -> ProgressRowView:
    events: Iterable[int] = shown.events.tolist()
    return ProgressRowView(
        name=shown.row.name,
        kind=shown.row.kind,
        depth=shown.row.depth,
        values=tuple(_rounded(value) if math.isfinite(value) else None for value in shown.values.tolist()),
        events=tuple(event if event >= 0 else None for event in events),
    )


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")
