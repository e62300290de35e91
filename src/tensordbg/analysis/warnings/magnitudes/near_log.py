"""Logarithms whose input nears zero: at zero they are infinite, and so is their gradient."""

from __future__ import annotations

import math

from tensordbg.analysis.causes.case import number
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.trends import Trend, trend
from tensordbg.analysis.warnings.study.words import from_to, listed
from tensordbg.operations.kinds import Kind

_NEAR = 1e-6
"""The smallest element of the input is no more than this in the end ..."""

_FELL = 1e-3
"""... and this part of what it was at first."""

_PASSING = frozenset({Kind.CAST, Kind.IDENTITY, Kind.RESHAPE})
_FLOORS = frozenset({Kind.ADD, Kind.CLIP, Kind.MAXIMUM})
"""Operations that keep a number from zero by a constant above it."""

_CONSTANTS = frozenset({Kind.CONSTANT, Kind.INPUT})

_FARTHEST = 10


def logs_near_zero(study: Study) -> list[Finding]:
    """One finding for each logarithm that nothing keeps from zero."""
    found: dict[int, list[Trend]] = {}
    for k in range(len(study.series)):
        if operation_of(study.site(k)).kind is Kind.LOG and study.learning[study.port[k]]:
            near = _nears(study, k)
            if near is not None and not _has_floor(study, int(study.port[k])):
                found.setdefault(study.site(k).stack, []).append(near)
    return [_finding(study, several) for several in found.values()]


def _nears(study: Study, k: int) -> Trend | None:
    """How the smallest element of the input of a logarithm went, by that of its output."""
    found = trend(study, -study.series.low, k)
    if found is None or found.end < -math.log(_NEAR) or found.end - found.begin < -math.log(_FELL):
        return None
    return found if found.end >= found.middle else None


def _has_floor(study: Study, port: int) -> bool:
    """Whether what goes into a logarithm is kept from zero by a constant."""
    for _ in range(_FARTHEST):
        before = study.wiring.parents(port)
        if not before:
            return False
        port = before[0]
        site = study.wiring.site(port)
        if site is None or operation_of(site).kind not in _PASSING:
            return site is not None and operation_of(site).kind in _FLOORS and _is_above_zero(study, port)
    return False


def _is_above_zero(study: Study, port: int) -> bool:
    """Whether a constant above zero goes into an operation."""
    for each in study.wiring.parents(port):
        site = study.wiring.site(each)
        if site is None or operation_of(site).kind not in _CONSTANTS:
            continue
        for k in study.at.get(each, []):
            low = study.series.low[study.series.rows(k)]
            if study.words[1][k] == "[]" and low[0] > 0 and (low == low[0]).all():
                return True
    return False


def _finding(study: Study, several: list[Trend]) -> Finding:
    worst = max(several, key=lambda each: each.end)
    begin, end = math.exp(-worst.begin), math.exp(-worst.end)
    return Finding(
        kind="log_near_zero",
        series=worst.series,
        explanation=(
            f"The input of {study.name(worst.series)} nears 0: its smallest element fell {from_to(begin, end)} over "
            f"{worst.steps} steps, and its gradient is up to {number(1.0 / end)}. At 0 the logarithm is infinite."
        ),
        suggestion=study.fix(worst.series, "log_near_zero"),
        evidence={"steps": worst.steps, "smallest_at_first": begin, "smallest": end},
        gravity=worst.end,
        also=listed([study.name(each.series) for each in several if each is not worst]),
    )
