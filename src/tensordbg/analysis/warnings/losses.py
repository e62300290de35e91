"""What training is to make smaller, and how far it did.

Eager code does not tell which number a tape was asked to differentiate. But each operation of the backward pass tells
in its stack of what type the operation is whose gradient it computes, and most take something that this took or made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.operations import INPUT
from tensordbg.analysis.reading import Bools, Ints
from tensordbg.analysis.warnings.series import Floats
from tensordbg.analysis.warnings.study import ENOUGH, Study
from tensordbg.gradient_names import differentiated_type

_LAST = 8
"""The end is the median of this part of the steps."""

_TAKING_OUT = frozenset({"GatherV2", "Reshape", "Slice", "Squeeze", "StridedSlice", "Unpack"})

_REDUCTIONS = frozenset({"Max", "Mean", "Min", "Prod", "Sum"})
_TAKING = frozenset({"Abs", "Exp", "L2Loss", "Log", "Mul", "Pow", "RealDiv", "Rsqrt", "Sqrt", "Square"})
"""Their gradients take something that they took or made."""


@dataclass(frozen=True)
class Loss:
    """A number that ends a forward pass."""

    series: int
    values: Floats
    """In each step."""

    @property
    def begin(self) -> float:
        """The largest magnitude in the first steps: a fast learner has little left to learn soon."""
        return float(np.abs(self.values[:ENOUGH]).max())

    @property
    def end(self) -> float:
        """The magnitude in the last steps."""
        return float(np.median(np.abs(self.values[-max(1, len(self.values) // _LAST) :])))

    @property
    def left(self) -> float:
        """Which part of the beginning is left; 1 where there are too few steps to tell."""
        if len(self.values) < ENOUGH or not self.begin > 0:
            return 1.0
        return self.end / self.begin


def find_losses(study: Study) -> list[Loss]:
    """The losses that no other is made of, sums over batches, such as Keras keeps them for its metrics, left out."""
    totals = _totals(study)
    kept = [k for k in study.losses if not totals[study.port[k]] and _may_be_loss(study, k)]
    ports = np.unique(study.port[kept]) if kept else np.zeros(0, dtype=np.int64)
    last = [port for port in ports.tolist() if not _goes_on(study, port, ports)]
    return [_loss(study, k) for k in kept if study.port[k] in last]


def _may_be_loss(study: Study, k: int) -> bool:
    """Whether it is a single number that is computed, not one that is taken out of others, such as a probability."""
    return study.words[1][k] == "[]" and study.site(k).op_type not in _TAKING_OUT


def differentiated(study: Study, losses: list[Loss]) -> list[Loss]:
    """Those of which no gradient is known not to be computed: without numbers that are made of weights to be shown."""
    taken = _taken_by_gradients(study)
    return [loss for loss in losses if _may_be_differentiated(study, int(study.port[loss.series]), taken)]


def _taken_by_gradients(study: Study) -> Mapping[str, set[int]]:
    """By the type of what is differentiated, in lower case, what its gradients take of the forward pass."""
    found: dict[str, set[int]] = {}
    for port in np.flatnonzero(study.gradient).tolist():
        site = study.wiring.site(port)
        name = differentiated_type(study.program.stacks.get(site.stack, ())) if site is not None else ""
        if name:
            found.setdefault(name, set()).update(
                each for each in study.wiring.parents(port) if not study.gradient[each]
            )
    return found


def _may_be_differentiated(study: Study, port: int, taken: Mapping[str, set[int]]) -> bool:
    """Whether the operations that end in a number may have been differentiated, up to the first that surely was."""
    site = study.wiring.site(port)
    if site is None or not taken or site.op_type not in _REDUCTIONS | _TAKING:
        return True
    if site.op_type.lower() not in taken:
        return False
    parents, given = study.wiring.parents(port), taken[site.op_type.lower()]
    if site.op_type in _REDUCTIONS:
        reduced = [each for each in parents if not _came_in(study, each)]  # without the axes
        return any(_may_be_differentiated(study, each, taken) for each in reduced) or not reduced
    return not given.isdisjoint([port, *parents]) or not given or any(_came_in(study, each) for each in given)


def _came_in(study: Study, port: int) -> bool:
    """Whether a port gives what came in from elsewhere: which tensor that was is not told."""
    site = study.wiring.site(port)
    return site is None or site.op_type == INPUT or site.argument >= 0


def losses_of(study: Study, losses: list[Loss], port: int) -> list[Loss]:
    """Those of the losses that are made from a port."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[port] = True
    behind = study.wiring.descendants(marks)
    return [loss for loss in losses if behind[study.port[loss.series]]]


def part_left(losses: list[Loss]) -> float:
    """Which part is left of the loss that fell furthest; 1 where none is known."""
    return min((loss.left for loss in losses), default=1.0)


def _loss(study: Study, k: int) -> Loss:
    rows = study.series.rows(k)
    return Loss(k, study.series.total[rows] / np.maximum(study.series.size[rows], 1))


def _goes_on(study: Study, port: int, ports: Ints) -> bool:
    """Whether another loss is made from one."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[port] = True
    behind = study.wiring.descendants(marks)
    return bool(behind[ports[ports != port]].any())


def _totals(study: Study) -> Bools:
    """For each port whether it is made from a number that the program keeps from step to step without training it."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    for port, variable in study.variable_of.items():
        known = study.program.variables.get(variable)
        marks[port] = known is not None and known.shape == "[]" and variable in study.writers
        marks[port] &= known is not None and not known.trainable
    return study.wiring.descendants(marks)
