"""Recognises the operation at a port, also a softmax or sigmoid that is written out of exponentials and a division."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.study.study import Study
from tensordbg.model import NONE
from tensordbg.operations.composites import kind_of
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation

_DEEPEST = 8
"""So many operations back are looked at."""

_PROBABILITIES = frozenset({Kind.SIGMOID, Kind.SOFTMAX})


@dataclass(frozen=True)
class _Computed:
    """How the value of a port was computed."""

    study: Study
    port: int
    depth: int = 0

    @property
    def operation(self) -> Operation:
        """The operation as the vocabulary describes it."""
        site = self.study.wiring.site(self.port)
        return Operation() if site is None else operation_of(site)

    @cached_property
    def operands(self) -> tuple[_Computed, ...]:
        """How its operands were computed, in order where the operation stands in a graph."""
        site = self.study.wiring.site(self.port)
        if site is None or self.depth == _DEEPEST:
            return ()
        given = [self.study.ports.of(ref) for ref in self.study.program.inputs_of(site.site)]
        ports = given if given and NONE not in given else self.study.wiring.parents(self.port)
        return tuple(_Computed(self.study, port, self.depth + 1) for port in ports)


def kind_at(study: Study, port: int) -> Kind:
    """The kind of what a port gives; what is written out counts as a softmax or a sigmoid if it is from 0 to 1."""
    computed = _Computed(study, port)
    own, kind = computed.operation.kind, kind_of(computed)
    return own if kind is not own and kind in _PROBABILITIES and not _is_from_0_to_1(study, port) else kind


def _is_from_0_to_1(study: Study, port: int) -> bool:
    low, high = study.series.low, study.series.high
    rows = [study.series.rows(k) for k in study.at.get(port, [])]
    return bool(rows) and all(bool((low[each] >= 0).all() and (high[each] <= 1).all()) for each in rows)
