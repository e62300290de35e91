"""Joins the studies of a run's processes: which of them went bad first, and how it came to the others.

Each process is studied by itself. Where it got something bad out of an operation that all run together, and had put
nothing bad in, that is not where the trouble started: the same run of the operation in the other processes shows who
put it in, and from which origin there.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from tensordbg.analysis.causes.another_process import overflow_verdict
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.finding import (
    Alert,
    Arrival,
    NumericalWarning,
    Origin,
    ProcessSummary,
    ProgramFailure,
    SourceLine,
    WhyResult,
)
from tensordbg.analysis.origins.troubles import REACHES
from tensordbg.analysis.processes.collective_transfers import KINDS, CollectiveTransfers
from tensordbg.model import NONE

Spot = tuple[int, int]
"""An origin: which process, and which of its findings."""

Item = TypeVar("Item", NumericalWarning, Alert, ProgramFailure)


@dataclass(frozen=True)
class Study:
    """The findings on one process by itself."""

    result: WhyResult
    transfers: CollectiveTransfers
    time_ns: Ints
    """When each of its origins was computed, since 1970."""


@dataclass(frozen=True)
class _Way:
    """How a received origin came in."""

    sender: Spot
    kind: int
    parties: int


def join(studies: Mapping[str, Study], stands_for: Mapping[str, Sequence[str]]) -> WhyResult:
    """Put the processes of a run together, given by name, with the names of those that each stands for.

    The origins that are left started in their process; those of graver consequence come first, then the earlier ones,
    as far as the clocks of the machines agree.
    """
    joining = _Joining(list(studies), list(studies.values()), [stands_for.get(name, ()) for name in studies])
    results = [study.result for study in studies.values()]
    several = len(results) > 1
    return WhyResult(
        tensor_events=sum(result.tensor_events for result in results),
        non_finite_events=sum(result.non_finite_events for result in results),
        steps=max(result.steps for result in results),
        measured=any(result.measured for result in results),
        origins=joining.origins(),
        notes=_notes(studies) if several else results[0].notes,
        warnings=_distinct(_of_processes(studies, lambda result: result.warnings), _place_of_warning),
        alerts=_distinct(_of_processes(studies, lambda result: result.alerts), _place_of_alert),
        failures=tuple(_of_processes(studies, lambda result: result.failures)),
        processes=tuple(_summaries(studies)) if several else (),
    )


class _Joining:
    """Finds the way of each received origin, and puts what arrived to the origins that it came from."""

    def __init__(self, names: Sequence[str], studies: Sequence[Study], stands_for: Sequence[Sequence[str]]) -> None:
        self._names = names
        self._studies = studies
        self._stands_for = stands_for
        self._ways = dict(self._find_ways())
        self._together = self._received_by_all()

    def origins(self) -> tuple[Origin, ...]:
        """Those that started in their process, with what became of them in the others."""
        arrived: dict[Spot, list[Spot]] = {}
        roots = []
        for spot in self._spots():
            root = self._root(spot)
            if root == spot:
                roots.append(spot)
            else:
                arrived.setdefault(root, []).append(spot)
        # Those of one process are in the order of its program already.
        times = [self._time(spot) if len(self._studies) > 1 else 0 for spot in roots]
        findings = [(time, self._finding(spot, arrived.get(spot, []))) for time, spot in zip(times, roots, strict=True)]
        findings.sort(key=lambda each: (not each[1].consequential, each[0]))
        return tuple(finding for _, finding in findings)

    def _spots(self) -> Iterator[Spot]:
        for process, study in enumerate(self._studies):
            yield from ((process, origin) for origin in range(len(study.result.origins)))

    def _at(self, spot: Spot) -> Origin:
        return self._studies[spot[0]].result.origins[spot[1]]

    def _time(self, spot: Spot) -> int:
        return int(self._studies[spot[0]].time_ns[spot[1]])

    def _find_ways(self) -> Iterator[tuple[Spot, _Way]]:
        """For each origin that was received the one that it was sent from, where that is known."""
        sent = _sent(self._studies)
        for process, study in enumerate(self._studies):
            transfers = study.transfers
            done = set()
            for row in np.flatnonzero(transfers.received & (transfers.origin != NONE)).tolist():
                spot = (process, int(transfers.origin[row]))
                sender = sent.get(int(transfers.key[row]))
                if spot not in done and sender is not None and sender != spot:
                    done.add(spot)
                    yield spot, _Way(sender, int(transfers.kind[row]), int(transfers.parties[row]))

    def _received_by_all(self) -> dict[Spot, _Way]:
        """Origins that all parties received and none sent: made on the way, and put to the first of them."""
        holders: dict[int, list[tuple[Spot, _Way]]] = {}
        parties: dict[int, int] = {}
        for process, study in enumerate(self._studies):
            transfers = study.transfers
            for row in np.flatnonzero(transfers.received).tolist():
                key, spot = int(transfers.key[row]), (process, int(transfers.origin[row]))
                parties[key] = int(transfers.parties[row])
                holders.setdefault(key, []).append((spot, _Way(spot, int(transfers.kind[row]), parties[key])))
        together: dict[Spot, _Way] = {}
        for key, spots in holders.items():
            known = [(spot, way) for spot, way in spots if spot[1] != NONE and spot not in self._ways]
            if sum(1 + len(self._stands_for[spot[0]]) for spot, _ in spots) == parties[key] and known:
                for spot, way in known:
                    together.setdefault(spot, replace(way, sender=known[0][0]))
        return together

    def _root(self, spot: Spot) -> Spot:
        """Where the trouble of an origin started; one that goes round in a circle is its own."""
        seen = {spot}
        here = spot
        while (way := self._way(here)) is not None and way.sender != here:
            if way.sender in seen:
                return min(seen)
            seen.add(way.sender)
            here = way.sender
        return here

    def _way(self, spot: Spot) -> _Way | None:
        return self._ways.get(spot) or self._together.get(spot)

    def _finding(self, spot: Spot, arrived: Sequence[Spot]) -> Origin:
        origin = self._at(spot)
        if spot in self._together:
            way = self._together[spot]
            origin = replace(origin, verdict=overflow_verdict(origin, KINDS[way.kind], way.parties))
        reaches = [name for each in (spot, *arrived) for name in self._at(each).reaches]
        ordered = [name for name in REACHES if name in reaches]
        process = self._names[spot[0]] if len(self._studies) > 1 or self._stands_for[spot[0]] else ""
        arrivals = tuple(self._arrivals(spot, arrived))
        return replace(origin, process=process, reaches=tuple(ordered), arrivals=arrivals)

    def _arrivals(self, spot: Spot, arrived: Sequence[Spot]) -> Iterator[Arrival]:
        """The first in each other process."""
        seen = {spot[0]}
        for each in sorted(arrived, key=self._time):
            way = self._way(each)
            if each[0] in seen or way is None:
                continue
            seen.add(each[0])
            origin = self._at(each)
            yield Arrival(
                process=self._names[each[0]],
                sender=self._names[way.sender[0]],
                kind=KINDS[way.kind],
                view=origin.view,
                source=origin.source,
                reaches=origin.reaches,
                propagated=origin.propagated,
                alike=tuple(self._stands_for[each[0]]),
            )


def _sent(studies: Sequence[Study]) -> dict[int, Spot]:
    """By the keys of what some process received, the origin that was sent; of several the earliest."""
    wanted = np.unique(np.concatenate([study.transfers.key[study.transfers.received] for study in studies]))
    sent: dict[int, Spot] = {}
    for process, study in enumerate(studies):
        transfers = study.transfers
        rows = ~transfers.received & (transfers.origin != NONE) & np.isin(transfers.key, wanted)
        for key, origin in zip(transfers.key[rows].tolist(), transfers.origin[rows].tolist(), strict=True):
            known = sent.get(key)
            if known is None or study.time_ns[origin] < studies[known[0]].time_ns[known[1]]:
                sent[key] = (process, origin)
    return sent


def _summaries(studies: Mapping[str, Study]) -> Iterator[ProcessSummary]:
    for name, study in studies.items():
        result = study.result
        yield ProcessSummary(name, result.tensor_events, result.non_finite_events, result.steps)


def _notes(studies: Mapping[str, Study]) -> tuple[str, ...]:
    """What all say once, what some say with their names."""
    said: dict[str, list[str]] = {}
    for name, study in studies.items():
        for note in study.result.notes:
            said.setdefault(note, []).append(name)
    return tuple(note if len(names) == len(studies) else f"{', '.join(names)}: {note}" for note, names in said.items())


def _of_processes(studies: Mapping[str, Study], of: Callable[[WhyResult], tuple[Item, ...]]) -> Iterator[Item]:
    """The warnings or alerts of all processes; of several each names its own."""
    for name, study in studies.items():
        yield from (replace(each, process=name if len(studies) > 1 else "") for each in of(study.result))


def _distinct(items: Iterable[Item], place: Callable[[Item], Hashable]) -> tuple[Item, ...]:
    """One of each, where all processes of a program have the same."""
    found: dict[Hashable, Item] = {}
    for item in items:
        found.setdefault(place(item), item)
    return tuple(found.values())


def _place_of_warning(warning: NumericalWarning) -> Hashable:
    return warning.kind, warning.view.tensor, warning.variable, _line(warning.source)


def _place_of_alert(alert: Alert) -> Hashable:
    return alert.kind, alert.function, alert.tensor, _line(alert.source)


def _line(source: SourceLine | None) -> Hashable:
    return source and (source.file, source.line)
