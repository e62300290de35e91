"""Takes from a run what a comparison needs of it, for a small file; see `trace/summary.py`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import PurePath

import numpy as np

from tensordbg.analysis.columns.reading import Ints, TraceSource
from tensordbg.analysis.diff.fused import is_fused
from tensordbg.analysis.diff.side import Side, read_side
from tensordbg.analysis.finding import TensorView
from tensordbg.errors import UsageError
from tensordbg.model import DIFFERENTIATED, FUSED, NONE, NOTES, PYTHON_NAMES, Health, Site
from tensordbg.trace.program.optimizers import OptimizerSettings
from tensordbg.trace.summary import Line, Optimizer, Parameter, Place, Summary, Value

MOST_VALUES = 4000
"""So many values are taken, in whole steps; of the first step all."""

_KEPT_NOTES = frozenset({DIFFERENTIATED, FUSED, PYTHON_NAMES})
"""Those of an operation's notes that a comparison asks for."""

_DIGITS = 10
"""More than any difference in float32 needs; of float64 all are kept."""


def summarize(trace: TraceSource, program: str) -> Summary:
    """Takes the first steps of a run.

    Raises:
        UsageError: If nothing in it was measured.
    """
    side = read_side(trace)
    if not len(side.numbers):
        raise UsageError("no tensor of floating-point numbers was measured in this run; record it with `tdbg run`")
    last = _last_step(side.numbers.step)
    rows = _in_order(side, [row for row, step in enumerate(side.numbers.step.tolist()) if step <= last])
    return _Taken(side, rows).summary(program, last)


def _last_step(steps: Ints) -> int:
    """The last step up to which there are not too many values, at least the first of the program."""
    each, counts = np.unique(steps, return_counts=True)
    fitting = each[np.cumsum(counts) <= MOST_VALUES]
    of_program = each[each >= 0]
    return int(max(of_program[0] if len(of_program) else each[0], fitting[-1] if len(fitting) else each[0]))


def _in_order(side: Side, rows: Iterable[int]) -> list[int]:
    """Some values, each behind those it was made from, though another thread recorded these later."""
    parents = side.edges.parents
    wanted, done, result = set(rows), set[int](), list[int]()
    for start in sorted(wanted):
        waiting = [start]
        seen = {start}
        while waiting:
            row = waiting[-1]
            before = [each for each in parents[row] if each in wanted and each not in done and each not in seen]
            if before:
                waiting += before[:1]
                seen.add(before[0])
                continue
            waiting.pop()
            if row not in done:
                done.add(row)
                result.append(row)
    return result


class _Taken:
    """What was taken of a run, with numbers of its own."""

    def __init__(self, side: Side, rows: list[int]) -> None:
        self._side = side
        self._rows = rows
        self._lines: dict[Line, int] = {}
        self._variables: dict[int, int] = {}
        self._places: dict[int, int] = {}

    def summary(self, program: str, last: int) -> Summary:
        """Puts all together."""
        views = self._side.details.views(int(self._side.numbers.event[row]) for row in self._rows)
        number = {row: position for position, row in enumerate(self._rows)}
        values = [self._value(row, views[int(self._side.numbers.event[row])], number) for row in self._rows]
        sites = self._side.program.sites
        # One of each kind: they have no values, and tell what the run has computed all the same.
        kept_inside = {each.op_type: each for each in sites.values() if is_fused(each)}
        places = [self._place(each) for each in (*(sites[site] for site in self._places), *kept_inside.values())]
        known = self._side.program.variables
        optimizers = [self._optimizer(each) for each in self._side.optimizers if each.step <= last]
        parameters = [Parameter(each.name, each.dtype, each.shape, each.trainable)
                      for each in (known[variable] for variable in self._variables)]  # fmt: skip
        return Summary(
            program, last, tuple(self._lines), tuple(parameters), tuple(places), tuple(values), tuple(optimizers)
        )

    def _optimizer(self, told: OptimizerSettings) -> Optimizer:
        variables = tuple(self._variables[each] for each in told.variables if each in self._variables)
        held = {name: self._variables[each] for name, each in told.held.items() if each in self._variables}
        return Optimizer(told.optimizer, told.group, told.kind, told.step, dict(told.settings), variables, held)

    def _value(self, row: int, view: TensorView, number: dict[int, int]) -> Value:
        health = view.health or Health(int(self._side.numbers.size[row]))
        place = self._places.setdefault(view.site, len(self._places))
        digits = 0 if view.dtype in {"float64", "complex128"} else _DIGITS
        parents = (number[each] for each in self._side.edges.parents[row] if each in number)
        return Value(
            place, view.slot, int(self._side.numbers.step[row]), view.dtype, view.shape, health.size, health.negative,
            health.zero, health.nan, health.neg_inf, health.pos_inf, _kept(health.min, digits),
            _kept(health.max, digits), _kept(health.sum, digits) or 0.0, _kept(health.sum_squares, digits) or 0.0,
            tuple(each for each in parents if each < number[row]),
        )  # fmt: skip

    def _place(self, site: Site) -> Place:
        known = self._side.program.variables
        reads = tuple(self._variables.setdefault(each, len(self._variables)) for each in site.reads if each in known)
        said = json.loads(site.attributes)
        told = {name: value for name, value in said.items() if name not in NOTES or name in _KEPT_NOTES}
        line = self._side.locations.own(self._side.locations.stack(site.stack))
        number = NONE
        if line is not None:
            # The folder is that of one machine, and the file goes into a repository.
            kept = Line(PurePath(line.file).name, line.line, line.function, line.text)
            number = self._lines.setdefault(kept, len(self._lines))
        return Place(
            site.name, site.op_type, site.framework, site.backward, site.layer, json.dumps(told), reads, number
        )


def _kept(number: float, digits: int) -> float | None:
    """A number with so many digits, all for 0; None for what JSON lacks."""
    if not math.isfinite(number):
        return None
    return float(f"{number:.{digits}g}") if digits else number
