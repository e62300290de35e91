"""Has the tensors watched that something fatal may come from: what a logarithm is taken of, what is divided by.

The compiled log keeps the elements of the first tensors that are not finite, and of the first watched ones that hold
what is fatal to the operation behind them, so that both are at hand where the trouble began, without recording again.
Which tensors go where is known of a graph when its sites come by; of eager code the log learns it as operations run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from tensordbg.model import NONE, Site
from tensordbg.operations import lookup
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Domain, Role
from tensordbg.recording.catalog import CatalogSink
from tensordbg.recording.passing_sink import PassingSink

BUDGET = 32 * 2**20
"""Bytes that these elements may take, of one process."""

# As in native/log/first_bad.h.
_ZERO, _NEGATIVE, _LARGE, _BEYOND_ONE = 1, 2, 4, 8
_LAST_OPERAND = 15

_OF_ROLES = {
    Role.LOGARITHM: _ZERO | _NEGATIVE,
    Role.ROOT: _ZERO | _NEGATIVE,
    Role.DIVISOR: _ZERO,
    Role.FORWARD_DIVISOR: _ZERO,
    Role.DENOMINATOR: _ZERO,
}

Watch = Callable[[list[int], int], None]
"""(sites, what is fatal in their tensors)."""
WatchOperand = Callable[[int, int, int], None]
"""(eager site, which of its operands, what is fatal in it)."""


class FirstBadChoice(PassingSink):
    """Passes rows on to `sink`, and has the log watch what goes into risky operations."""

    def __init__(self, sink: CatalogSink, watch: Watch, watch_operand: WatchOperand) -> None:
        super().__init__(sink)
        self._watch = watch
        self._watch_operand = watch_operand

    def sites(self, sites: Iterable[Site]) -> None:
        """Has the inputs of risky operations watched."""
        known = list(sites)
        self._sink.sites(known)
        by_fatal: dict[int, list[int]] = {}
        for site in known:
            for operand, fatal in fatal_operands(site.framework, site.op_type):
                if operand < len(site.inputs):
                    by_fatal.setdefault(fatal, []).append(site.inputs[operand].site)
                elif site.function == NONE and operand <= _LAST_OPERAND:
                    self._watch_operand(site.site, operand, fatal)
                    break
        for fatal, makers in by_fatal.items():
            self._watch(makers, fatal)


@lru_cache(maxsize=4096)
def fatal_operands(framework: str, op_type: str) -> tuple[tuple[int, int], ...]:
    """The operands of a type of operation that may be fatal, and what in each is."""
    found: dict[int, int] = {}
    for operand, fatal in _fatal(framework, op_type):
        found[operand] = found.get(operand, 0) | fatal
    return tuple(found.items())


def _fatal(framework: str, op_type: str) -> Iterator[tuple[int, int]]:
    operation = lookup.operation(framework, op_type)
    for role, fatal in _OF_ROLES.items():
        operand = operation.operand(role)
        if operand is not None:
            yield operand, fatal
    if operation.kind is Kind.EXP:
        yield 0, _LARGE
    for domain in operation.domains:
        yield domain.operand, _outside_of(domain)


def _outside_of(domain: Domain) -> int:
    """What tells that a tensor has elements outside of a domain, as far as its statistics tell."""
    if domain.low >= -1 and domain.high <= 1:
        return _BEYOND_ONE
    return _NEGATIVE | (_ZERO if domain.open else 0) if domain.low >= 0 else 0
