"""Numbers of each example that meet those of every other, since one side is a column and the other is not.

`[N, 1]` with `[N]` gives `[N, N]`. Who wants distances between all pairs makes the column on purpose, of the same
tensor or by an operation for it, and does more with the square than to average it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.descent import nearest
from tensordbg.analysis.warnings.study.losses import Loss, find_losses, losses_of
from tensordbg.analysis.warnings.study.study import ENOUGH, Finding, Study
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind

_MEETING = frozenset(
    {
        *(Kind.ADD, Kind.DIVIDE, Kind.MAXIMUM, Kind.MINIMUM, Kind.MULTIPLY),
        *(Kind.SQUARED_DIFFERENCE, Kind.SUBTRACT),
    }
)
_PASSING = frozenset({Kind.CAST, Kind.IDENTITY, Kind.NEGATE, Kind.READ, Kind.SIGMOID, Kind.STOP_GRADIENT, Kind.TANH})
_ON_PURPOSE = frozenset(
    {
        *(Kind.EXPAND_DIMS, Kind.PACK, Kind.RESHAPE, Kind.SLICE, Kind.TRANSPOSE),
        *(Kind.MAX, Kind.MEAN, Kind.MIN, Kind.SUM),
    }
)
"""Operations that make a column; one that comes out of weights or of the data is there by itself."""

_LOSSES = frozenset({Kind.HUBER_LOSS, Kind.SQUARED_DIFFERENCE})
"""Losses of two tensors that may average what they compute of them."""

_AVERAGING = frozenset({Kind.MEAN, Kind.SUM})
_FARTHEST = 200


@dataclass(frozen=True)
class _Meeting:
    """An operation with a column and a row."""

    series: int
    column: int
    """The port of the column."""
    row: int
    count: int
    """How long both are."""


def outer_broadcasts(study: Study) -> list[Finding]:
    """One finding for each operation on the way to a loss that meets every example with every other by mistake."""
    found = [each for each in _meetings(study) if _only_averaged(study, each)]
    found += _within_losses(study)
    losses = find_losses(study) if found else []
    return [
        _finding(study, each, reached[0])
        for each in found
        if (reached := losses_of(study, losses, int(study.port[each.series]))) and not _on_purpose(study, each)
    ]


def _meetings(study: Study) -> Iterator[_Meeting]:
    for k in np.flatnonzero(study.series.lengths >= ENOUGH).tolist():
        shape = _shape(study, k)
        if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 2 or operation_of(study.site(k)).kind not in _MEETING:
            continue
        if not study.forward[study.port[k]]:
            continue
        taken = {nearest(study, port): port for port in study.wiring.parents(int(study.port[k]))}
        shapes = {tuple(_shape(study, study.at[port][0])): port for port in taken if port in study.at}
        column, row = shapes.get((shape[0], 1)), shapes.get((shape[0],))
        if column is not None and row is not None:
            yield _Meeting(k, column, row, shape[0])
            continue
        meeting = _of_two_columns(study, k, [*taken.values()], shape[0])
        if meeting is not None:
            yield meeting


def _within_losses(study: Study) -> Iterator[_Meeting]:
    """Losses that average what they compute: only their gradients show that each example met every other."""
    for k in np.flatnonzero(study.series.lengths >= ENOUGH).tolist():
        site, shape = study.site(k), _shape(study, k)
        if operation_of(site).gradient_of not in _LOSSES or len(shape) != 2 or shape[0] != shape[1]:
            continue
        forward = int(study.ports.first[site.gradient_of]) if site.gradient_of != NONE else NONE
        if forward in study.at and shape[0] > 1:
            taken = {nearest(study, port): port for port in study.wiring.parents(forward)}
            shapes = {tuple(_shape(study, study.at[port][0])): port for port in taken if port in study.at}
            column, row = shapes.get((shape[0], 1)), shapes.get((shape[0],))
            if column is not None and row is not None:
                yield _Meeting(study.at[forward][0], column, row, shape[0])
                continue
            meeting = _of_two_columns(study, study.at[forward][0], [*taken.values()], shape[0])
            if meeting is not None:
                yield meeting


def _of_two_columns(study: Study, k: int, taken: list[int], count: int) -> _Meeting | None:
    """What is computed of a column and of a column or row of which a part is taken, and is a square.

    That part is a row, then: views are not recorded. It is by mistake where one comes out of weights, and the other is
    data.
    """
    trained = study.from_trained
    known = {port: _shape(study, study.at[port][0]) for port in taken if port in study.at}
    learned = [port for port, shape in known.items() if trained[port] and shape == [count, 1]]
    data = [port for port, shape in known.items() if not trained[port] and _is_line(shape) and shape[0] >= count]
    return _Meeting(k, learned[0], data[0], count) if len(learned) == len(data) == 1 else None


def _is_line(shape: list[int]) -> bool:
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def _shape(study: Study, k: int) -> list[int]:
    shape: list[int] | None = json.loads(study.words[1][k] or "null")
    return shape or []


def _only_averaged(study: Study, meeting: _Meeting) -> bool:
    """Whether all that is made of the square, element by element, is summed up in the end."""
    square = [meeting.count, meeting.count]
    open_ports = [int(study.port[meeting.series])]
    seen, averaged = set(open_ports), False
    while open_ports and len(seen) < _FARTHEST:
        for child in study.wiring.children(open_ports.pop()):
            site = study.wiring.site(child)
            if child in seen or site is None or study.gradient[child] or study.updating[child]:
                continue
            seen.add(child)
            shapes = [_shape(study, k) for k in study.at.get(child, [])]
            if operation_of(site).kind in _AVERAGING:
                averaged = True
            elif not shapes or square in shapes:
                open_ports.append(child)
            else:
                return False
    return averaged


def _on_purpose(study: Study, meeting: _Meeting) -> bool:
    marks = np.zeros((2, len(study.ports.site)), dtype=np.bool_)
    maker = _maker(study, meeting.column)
    marks[0, maker], marks[1, meeting.row] = True, True
    trained = study.from_trained
    # `x, y = X[i], Y[i]` is one operation in the text, and what is made of the one isn't made of the other.
    several = bool(study.series.turns[study.series.rows(study.at[meeting.row][0])][-1] > 1)
    apart = several and trained[meeting.column] and not trained[meeting.row]
    made_of_column = study.wiring.descendants(marks[0])[meeting.row]
    if made_of_column or (not apart and study.wiring.descendants(marks[1])[meeting.column]):
        return True
    site = study.wiring.site(maker)
    explicit = site is not None and operation_of(site).kind in _ON_PURPOSE
    return explicit and bool(trained[meeting.column]) == bool(trained[meeting.row])


def _maker(study: Study, port: int) -> int:
    """What made the column, seen through what keeps the shape."""
    for _ in range(_FARTHEST):
        site = study.wiring.site(port)
        before = study.wiring.parents(port)
        if site is None or operation_of(site).kind not in _PASSING or len(before) != 1:
            break
        port = before[0]
    return port


def _finding(study: Study, meeting: _Meeting, loss: Loss) -> Finding:
    n = meeting.count
    column, row = study.name(study.at[meeting.column][0]), study.name(study.at[meeting.row][0])
    return Finding(
        kind="outer_broadcast",
        series=meeting.series,
        explanation=(
            f"{study.site(meeting.series).op_type} of {column} of shape [{n}, 1] and {row} of shape [{n}] gives "
            f"[{n}, {n}]: every example meets every other on the way to {study.name(loss.series)}, not only itself."
        ),
        suggestion=study.fix(meeting.series, "outer_broadcast"),
        evidence={"steps": int(study.series.lengths[meeting.series]), "examples": n, "elements": n * n},
        gravity=float(n),
    )
