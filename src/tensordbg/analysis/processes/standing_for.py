"""Which processes of a large run are studied: one stands for all in which the same operations went bad.

A NaN that one of a thousand workers makes is in all of them a step later, and to study each would say the same a
thousand times. The sums of each trace tell which operations went bad in it, in which step; nothing else is read of
the others.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from tensordbg.analysis.columns.reading import SummedTrace, TraceSource
from tensordbg.trace.sums.totals import Sums

MOST_STUDIED = 16
"""So many processes are studied each by itself; in larger runs some stand for others."""

_EARLIEST = 4
_LARGEST = 3
"""So many groups are studied: those that went bad first, and besides them the largest, and of those that did not."""


@dataclass(frozen=True)
class Chosen:
    """Whom to study of a run."""

    stands_for: Mapping[str, tuple[str, ...]]
    """By the name of each process that is studied those that it stands for, itself not among them."""
    left: tuple[str, ...] = ()
    """Those that went bad in another way than all that are studied."""


def choose(processes: Mapping[str, TraceSource]) -> Chosen:
    """Choose who is studied: all of a small run, and all of traces that have no sums."""
    summed = {name: trace for name, trace in processes.items() if isinstance(trace, SummedTrace)}
    if len(processes) <= MOST_STUDIED or len(summed) < len(processes):
        return Chosen(dict.fromkeys(processes, ()))
    groups: dict[Hashable, list[str]] = {}
    for name, trace in summed.items():
        groups.setdefault((went_bad(trace.sums()), _failed(trace)), []).append(name)
    times = {names[0]: min(_began_ns(summed[name].sums()) for name in names) for names in groups.values()}
    by_time = sorted(groups.values(), key=lambda names: times[names[0]])
    by_size = sorted(by_time[_EARLIEST:], key=len, reverse=True)
    studied = [*by_time[:_EARLIEST], *by_size[:_LARGEST]]
    left = [name for names in by_size[_LARGEST:] for name in names]
    order = list(processes)
    chosen = sorted(studied, key=lambda names: order.index(names[0]))
    return Chosen({names[0]: tuple(names[1:]) for names in chosen}, tuple(sorted(left, key=order.index)))


def went_bad(sums: Sums) -> Hashable:
    """The operations that were bad by the end of the step in which something was first, whatever threads did first."""
    if not sums.first_bad:
        return sums.measured
    step = sums.first_bad[0].step
    ports = {(each.name, each.slot) for each in sums.first_bad if each.step <= step}
    return step, frozenset(ports)


def _failed(trace: TraceSource) -> str:
    """The error that ended a process; empty where none did."""
    failure = trace.facts.failure
    return "" if failure is None else failure.error


def _began_ns(sums: Sums) -> float:
    return sums.first_bad[0].time_ns if sums.first_bad else float("inf")
