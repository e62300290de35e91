"""Losses: the tensors that training is to make smaller, and how far it did."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.series import Floats
from tensordbg.analysis.warnings.study.study import ENOUGH, Study
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

_LAST = 8
"""The end is the median of this part of the steps."""

_TAKING_OUT = frozenset({Kind.GATHER, Kind.RESHAPE, Kind.SLICE, Kind.SQUEEZE, Kind.UNPACK})


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
    """The losses that no other is made of.

    Left out are sums over batches, such as Keras keeps them for its metrics, and what else is made of a loss that is
    differentiated itself; where there are others, also what is made of choices and comparisons, as an accuracy is.
    """
    totals = _totals(study) | _made_of_differentiated(study)
    kept = [k for k in study.losses if not totals[study.port[k]] and _may_be_loss(study, k)]
    ports = np.unique(study.port[kept]) if kept else np.zeros(0, dtype=np.int64)
    last = [port for port in ports.tolist() if not _goes_on(study, port, ports)]
    sloping = with_slope(study)
    last = [port for port in last if sloping[port]] or last
    return [_loss(study, k) for k in kept if study.port[k] in last]


def _made_of_differentiated(study: Study) -> Bools:
    """For each port whether it is made of a loss that is differentiated, and is none itself: it is made to be shown."""
    scalars = study.port[[k for k in study.losses if _may_be_loss(study, k)]]
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[scalars] = study.differentiated[scalars]
    return study.wiring.descendants(marks) & ~study.differentiated


def _may_be_loss(study: Study, k: int) -> bool:
    """Whether it is a single number that is computed, not one that is taken out of others, such as a probability."""
    return study.words[1][k] == "[]" and operation_of(study.site(k)).kind not in _TAKING_OUT


def differentiated(study: Study, losses: list[Loss]) -> list[Loss]:
    """Those that are differentiated or made of what is: without numbers that are made of weights to be shown.

    All of them, where the trace does not tell what is differentiated.
    """
    told = study.differentiated
    if not told.any():
        return losses
    made = study.wiring.descendants(told)
    return [loss for loss in losses if made[study.port[loss.series]]]


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
    return Loss(k, study.series.means(k))


def _goes_on(study: Study, port: int, ports: Ints) -> bool:
    """Whether another loss is made from one."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    marks[port] = True
    behind = study.wiring.descendants(marks)
    return bool(behind[ports[ports != port]].any())


def with_slope(study: Study) -> Bools:
    """For each port whether a change of the weights changes it little by little."""
    sites = study.program.sites.values()
    blunt = np.zeros(int(study.ports.site.max(initial=-1)) + 1, dtype=np.bool_)
    blunt[[site.site for site in sites if _is_blunt(operation_of(site))]] = True
    return study.wiring.without(blunt[study.ports.site]).descendants(study.trained_reads)


def _totals(study: Study) -> Bools:
    """For each port whether it is made from a number that the program keeps from step to step without training it."""
    marks = np.zeros(len(study.ports.site), dtype=np.bool_)
    for port, variable in study.variable_of.items():
        known = study.program.variables.get(variable)
        marks[port] = known is not None and known.shape == "[]" and variable in study.writers
        marks[port] &= known is not None and not known.trainable
    return study.wiring.descendants(marks)


def _is_blunt(operation: Operation) -> bool:
    """Whether the result stays the same where the operands change a little, so that it has no slope."""
    if operation.kind in (Kind.CAST, Kind.TOP_K):
        return False
    return operation.has(Trait.COMPARES, Trait.TESTS_FINITE) or operation.kind in (Kind.ROUND, Kind.SIGN)
