"""Iterations of loops that Python runs: of a graph the sites of one line, in eager code the runs of one site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.warnings.study.forward import forward_of
from tensordbg.analysis.warnings.study.series import ENOUGH_ITERATIONS, Floats
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.model import NONE

_FELL = 0.1
"""Where a number falls to this part from one run to the next, a loop begins anew."""

_SPREAD = 1e3
"""Gradients of which the largest is not so many times the smallest don't explode."""

_LOOPS = 3
"""So many loops of an eager site must be seen."""


@dataclass(frozen=True)
class Iterations:
    """How large a tensor was in the iterations of a loop."""

    series: int
    """That of the last iteration."""
    sizes: Floats
    """In each iteration, the first first."""


def unrolled_in_graphs(study: Study) -> Iterator[Iterations]:
    """Forward operations of one line of a graph that are made one from the other, as of the last step."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for k in range(len(study.series)):
        site = study.site(k)
        port = study.port[k]
        if NONE not in (site.function, site.stack) and study.forward[port] and not study.gradient[port]:
            key = (site.function, site.stack, site.op_type, int(study.series.slot[k]), int(study.series.path[k]))
            groups.setdefault((*key, study.words[1][k]), []).append(k)
    last = study.series.starts[1:] - 1
    for several in groups.values():
        if len(several) >= ENOUGH_ITERATIONS:
            several.sort(key=lambda k: int(study.series.site[k]))
            yield Iterations(several[-1], study.series.magnitude[last[np.array(several)]])


def unrolled_backward(study: Study) -> Iterator[Iterations]:
    """Gradients of the operations of one line of a graph, each made of the one before: the last iteration's first.

    The line at which gradients are asked for is one for all of them; that of the forward operation tells them apart.
    """
    alike: dict[tuple[object, ...], list[int]] = {}
    for k in np.flatnonzero(study.gradient[study.port]).tolist():
        site = study.site(k)
        key = (site.function, site.stack, site.op_type, int(study.series.slot[k]), int(study.series.path[k]))
        alike.setdefault((*key, study.words[1][k]), []).append(k)
    last = study.series.starts[1:] - 1
    for several in alike.values():
        sizes = study.series.magnitude[last[np.array(several)]]
        if len(several) < ENOUGH_ITERATIONS or not sizes.max() >= _SPREAD * sizes.min():
            continue
        for turns in _of_one_line(study, several):
            yield Iterations(turns[-1], study.series.magnitude[last[np.array(turns)]])


def _of_one_line(study: Study, gradients: list[int]) -> Iterator[list[int]]:
    """Those whose forward operations were made at one line, and of which the last is made of the first."""
    lines: dict[int, list[int]] = {}
    for k in sorted(gradients, key=lambda k: int(study.series.site[k])):
        forward = forward_of(study, study.site(k))
        if forward is not None and NONE not in (forward.function, forward.stack):
            lines.setdefault(forward.stack, []).append(k)
    for several in lines.values():
        if len(several) >= ENOUGH_ITERATIONS:
            marks = np.zeros(len(study.ports.site), dtype=np.bool_)
            marks[study.port[several[0]]] = True
            if study.wiring.descendants(marks)[study.port[several[-1]]]:
                yield several


def is_chain(study: Study, turns: Iterations) -> bool:
    """Whether the last iteration is made from the first site of its line."""
    site = study.site(turns.series)
    first = min(
        each.site
        for each in study.program.sites_of_graph.get(site.function, ())
        if each.stack == site.stack and each.op_type == site.op_type
    )
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[study.ports.first[first]] = True
    return first != site.site and bool(study.wiring.descendants(marks)[study.port[turns.series]])


def unrolled_eagerly(study: Study) -> Iterator[Iterations]:
    """The last whole loop of each eager site whose numbers grow and fall back, again and again.

    A gradient's iterations go backwards: the tape asks for that of the last iteration first. Where what is trained
    changed in between, they are steps of a training.
    """
    before, after = _changes(study)
    for k in np.flatnonzero(study.series.lengths >= _LOOPS * ENOUGH_ITERATIONS).tolist():
        if study.site(k).function != NONE or not (study.forward | study.gradient)[study.port[k]]:
            continue
        sizes = study.series.magnitude[study.series.rows(k)]
        begins = _begins(sizes)
        if len(begins) >= _LOOPS and np.diff(begins).min() >= ENOUGH_ITERATIONS:
            events = study.series.event[study.series.rows(k)][begins[-2] : begins[-1]]
            if not ((before >= events[0]) & (after <= events[-1])).any():
                yield Iterations(k, sizes[begins[-2] : begins[-1]])


def _changes(study: Study) -> tuple[Ints, Ints]:
    """Between which events trained variables changed: the last one before and the first one after."""
    series = study.series
    mine = [k for port, k in study.reads if study.is_trained(study.variable_of[port])]
    rows = (np.arange(series.starts[k] + 1, series.starts[k + 1]) for k in mine)
    later = np.concatenate([np.zeros(0, dtype=np.int64), *rows])
    other = (series.total[later] != series.total[later - 1]) | (series.squares[later] != series.squares[later - 1])
    return series.event[later - 1][other], series.event[later][other]


def _begins(sizes: Floats) -> Ints:
    """Where each loop begins; the end of the last one, if it is as long as the one before, is a beginning, too."""
    fell = np.flatnonzero(sizes[1:] < _FELL * sizes[:-1]) + 1
    begins = np.concatenate([[0], fell])
    if len(begins) > 1 and len(sizes) - begins[-1] == begins[-1] - begins[-2]:
        begins = np.append(begins, len(sizes))
    return begins
