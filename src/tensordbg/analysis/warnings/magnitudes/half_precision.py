"""Half-precision values at the ends of their range, where float32 would have room."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tensordbg.analysis.causes.case import HALF, largest_of, number
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.cancelling import is_rounding
from tensordbg.analysis.warnings.study.study import Finding, Study
from tensordbg.analysis.warnings.study.words import listed, share
from tensordbg.operations.kinds import Kind

_CLOSE = 0.5
"""What is above this part of the largest number is close to it."""

_LOST = 0.1
"""At least this part of the elements that are not zero must be lost."""

_TINY = {"float16": 6.103515625e-05, "bfloat16": 1.1754943508222875e-38}
"""The smallest normal numbers."""

_ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8}
"""What is smaller than this part of the largest element makes no difference next to it."""


def half_precision(study: Study) -> list[Finding]:
    """Values close to the largest number, and values that vanish; one finding of each sort, the worst."""
    dtypes = study.words[0]
    half = [k for k in range(len(study.series)) if dtypes[k] in HALF and not study.updating[study.port[k]]]
    close = sorted(_close(study, half), key=lambda each: int(study.series.site[each.series]))
    lost = sorted(_lost(study, half), key=lambda each: int(study.series.site[each.series]))
    return [*_first(study, close), *_first(study, lost)]


def _first(study: Study, found: list[Finding]) -> list[Finding]:
    if not found:
        return []
    lead = found[0]
    return [replace(lead, also=listed([study.name(each.series) for each in found[1:]]))]


def _close(study: Study, half: list[int]) -> Iterator[Finding]:
    """Values of a forward pass close to the largest number; a mask of the very largest is meant."""
    magnitude = study.series.magnitude
    for k in half:
        rows, largest = study.series.rows(k), largest_of(study.words[0][k])
        sizes = np.where(magnitude[rows] < largest * (1 - 1e-3), magnitude[rows], 0.0)
        row = int(sizes.argmax())
        constant = operation_of(study.site(k)).kind is Kind.CONSTANT
        if sizes[row] > _CLOSE * largest and not study.gradient[study.port[k]] and not constant:
            yield _close_finding(study, k, int(study.series.starts[k]) + row, largest)


def _close_finding(study: Study, k: int, row: int, largest: float) -> Finding:
    size, dtype = float(study.series.magnitude[row]), study.words[0][k]
    return Finding(
        kind="half_precision",
        series=k,
        row=row,
        explanation=(
            f"{study.name(k)} goes up to {number(size)} in step {study.series.step[row]}, {share(size / largest)} of "
            f"{number(largest)}, the largest number of {dtype}: a little more is infinite. In float32 there is room."
        ),
        suggestion=study.fix(k, "half_precision", "large"),
        evidence={"largest_magnitude": size, "limit": largest, "step": int(study.series.step[row])},
        gravity=size / largest,
    )


def _lost(study: Study, half: list[int]) -> Iterator[Finding]:
    """Values that became zero in a cast, or lie below the normal numbers; not what rounding leaves of a sum of zero."""
    for k in half:
        tiny = _TINY.get(study.words[0][k])
        port = int(study.port[k])
        counts = study.gradient[port] or (study.learning[port] and not _is_variable(study, port))
        if tiny is None or not counts:
            continue
        source = _cast_from(study, k)
        rows = study.series.rows(k)
        before = study.series.zero[rows] if source is None else study.series.zero[study.series.rows(source)]
        flushed = study.series.zero[rows] - before
        subnormal = np.maximum(study.series.subnormal[rows], 0)
        alive = np.maximum(study.series.size[rows] - before, 1)
        part = (flushed + subnormal) / alive
        row = int(part.argmax())
        often = part[row] >= _LOST and np.median(part) >= _LOST
        if often and _matters(study, k, rows.start + row, tiny) and not is_rounding(study, k):
            yield _lost_finding(study, k, rows.start + row, (int(flushed[row]), int(subnormal[row]), float(part[row])))


def _is_variable(study: Study, port: int) -> bool:
    """Whether it is what a variable holds, as it is or in half precision: a bias begins near zero."""
    while True:
        if port in study.variable_of:
            return True
        before = study.wiring.parents(port)
        site = study.wiring.site(port)
        if len(before) != 1 or site is None or operation_of(site).kind not in (Kind.CAST, Kind.IDENTITY):
            return False
        port = before[0]


def _cast_from(study: Study, k: int) -> int | None:
    """The series that a cast took, if it has a row for each of the cast's."""
    if operation_of(study.site(k)).kind is not Kind.CAST:
        return None
    for port in study.wiring.parents(int(study.port[k])):
        for source in study.at.get(port, []):
            if np.array_equal(study.series.step[study.series.rows(source)], study.series.step[study.series.rows(k)]):
                return source
    return None


def _matters(study: Study, k: int, row: int, tiny: float) -> bool:
    """Whether what is lost is more than a rounding next to the largest element; each element of a gradient matters."""
    if study.gradient[study.port[k]]:
        return bool(study.series.magnitude[row] < 1)
    return bool(study.series.magnitude[row] * _ROUNDING[study.words[0][k]] < tiny)


def _lost_finding(study: Study, k: int, row: int, lost: tuple[int, int, float]) -> Finding:
    flushed, subnormal, part = lost
    dtype, size = study.words[0][k], int(study.series.size[row])
    became = f"{flushed:,} became zero in the cast, " if flushed else ""
    return Finding(
        kind="half_precision",
        series=k,
        row=row,
        explanation=(
            f"{share(part)} of what is not zero in {study.name(k)} is too small for {dtype}: of {size:,} elements "
            f"{became}{subnormal:,} are below {number(_TINY[dtype])}, the smallest normal number. In float32 they "
            "would be exact."
        ),
        suggestion=study.fix(k, "half_precision", "small"),
        evidence={"elements": size, "flushed_to_zero": flushed, "subnormal": subnormal, "share": part},
        gravity=part,
    )
