"""The values of a trace that can be compared, as columns: floating-point tensors that were measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints, TraceSource, floats, integers, tensor_pieces, words
from tensordbg.analysis.diff.fused import stand_ins
from tensordbg.analysis.diff.sketches import COLUMNS as SKETCHED
from tensordbg.analysis.diff.sketches import read_sketches
from tensordbg.analysis.flow.dataflow import Flow
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import NONE
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

Floats = npt.NDArray[np.float64]

ROUNDING = {
    "float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7, "half": 2.0**-10,
    "complex64": 2.0**-23, "complex128": 2.0**-52, "float8_e4m3fn": 2.0**-3, "float8_e5m2": 2.0**-2,
}  # fmt: skip
"""The distance from 1 to the next number of each dtype that is compared."""

LOW, HIGH, SUM, SQUARES, NANS, INFINITIES, MAGNITUDES = range(7)
"""The columns of `Numbers.statistics`; the last is NaN where it was not measured."""

_CALLS = 16
"""So many calls within one another are walked out of."""
_CONTRACTIONS = frozenset({Kind.MATMUL, Kind.EINSUM, Kind.CONVOLUTION})
_COLUMNS = ("step", "min", "max", "sum", "sum_squares", "nan", "pos_inf", "neg_inf", "site", *SKETCHED)


@dataclass(frozen=True)
class Numbers:
    """The values of a trace that are compared; the columns have a row for each value, in the order of the events."""

    event: Ints
    step: Ints
    size: Ints
    """Elements of each, at least one."""
    site: Ints
    """Of the operation that computed each, see `fused.py`."""
    statistics: Floats
    """Of each value: extremes, sum and sum of squares of its finite elements, number of NaN and of infinities, and the
    sum of magnitudes."""
    order: Floats
    """Of each value the four sums that depend on the order of its elements, NaN where they are not known."""
    rounding: float
    """The coarsest rounding that the numbers of the run are likely to carry: that of its contractions."""

    def __len__(self) -> int:
        return len(self.event)

    def of(self, chosen: Bools | Ints) -> Numbers:
        """Some of the values: those that are marked, or those in some rows."""
        columns = {
            name: getattr(self, name)[chosen] for name in ("event", "step", "size", "site", "statistics", "order")
        }
        return replace(self, **columns)

    @property
    def constant(self) -> Bools:
        """Whether all elements of a value are one number, which many values share that have nothing in common."""
        low, high = self.statistics[:, LOW], self.statistics[:, HIGH]
        result: Bools = (low == high) & (self.size > 1)
        return result


def read_numbers(trace: TraceSource, values: Values) -> Numbers:
    """Reads what can be compared.

    Left out are whole numbers and texts, empty tensors, what was not measured, what only hands its input on or
    rearranges it where that is recorded too, a single number that says whether others are finite, and what was computed
    before the first step in a graph of a pipeline.
    """
    kept: list[dict[str, npt.NDArray[np.generic]]] = []
    roundings: dict[float, int] = {}
    contracts = _sites(values, lambda operation: operation.kind in _CONTRACTIONS)
    tests = _sites(values, lambda operation: operation.has(Trait.TESTS_FINITE))
    stored = stand_ins(values)
    passing = values.passing & (stored == np.arange(len(stored)))
    from_outside = _unknown_arguments(values)
    for rows, table in tensor_pieces(trace, _COLUMNS):
        number, texts = words(table, "dtype")
        rounding = np.array([*(ROUNDING.get(text, 0.0) for text in texts), 0.0])[number]
        site = integers(table, "site")
        size = integers(table, "size")
        measured = np.isfinite(floats(table, "sum")) | (integers(table, "nan", -1) > 0)
        told = ~passing[site] | from_outside[rows]
        chosen = np.flatnonzero((rounding > 0) & (size > 0) & measured & told & ~(tests[site] & (size == 1)))
        for each in rounding[chosen[contracts[site[chosen]]]].tolist():
            roundings[each] = roundings.get(each, 0) + 1
        sketches = read_sketches(table, chosen)
        kept.append(
            {
                "event": chosen + rows.start,
                "step": integers(table, "step", -1)[chosen],
                "size": size[chosen],
                "site": stored[site[chosen]],
                "statistics": np.column_stack([_statistics(table)[chosen], sketches[:, 0]]),
                "order": sketches[:, 1:],
            }
        )
    empty = {"event": 0, "step": 0, "size": 0, "site": 0}
    joined = {name: np.concatenate([np.empty(0, dtype=np.int64), *(piece[name] for piece in kept)]) for name in empty}
    statistics = np.concatenate([np.empty((0, 7)), *(piece["statistics"] for piece in kept)])
    order = np.concatenate([np.empty((0, 4)), *(piece["order"] for piece in kept)])
    return Numbers(**joined, statistics=statistics, order=order, rounding=max(roundings, default=ROUNDING["float32"]))


def _unknown_arguments(values: Values) -> Bools:
    """Marks the events of arguments of functions of whose source there is none, as of what a program has written."""
    result = np.zeros(len(values.invocation), dtype=np.bool_)
    left = np.flatnonzero(values.ports.argument[values.events.site] >= 0)
    result[left] = True
    flow = Flow(values, values.ports.carrying)
    invocation, port = values.invocation[left].astype(np.int64), values.port[left].astype(np.int64)
    for _ in range(_CALLS):
        step = flow.sources(invocation, port)
        known = values.event(step.invocation, step.port) != NONE
        result[left[step.of[known]]] = False
        left, invocation, port = left[step.of[~known]], step.invocation[~known], step.port[~known]
        if not len(left):
            break
    return result


def _sites(values: Values, wanted: Callable[[Operation], bool]) -> Bools:
    """For each site whether its operation is wanted."""
    result = np.zeros(len(values.ports.first), dtype=np.bool_)
    for number, site in values.program.sites.items():
        result[number] = wanted(operation_of(site))
    return result


def _statistics(table: object) -> Floats:
    infinities = integers(table, "pos_inf") + integers(table, "neg_inf")
    columns = [floats(table, name) for name in ("min", "max", "sum", "sum_squares")]
    return np.stack([*(np.nan_to_num(column) for column in columns), integers(table, "nan"), infinities], axis=1)
