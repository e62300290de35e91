"""Processes whose trained variables differ from those of the others, though they had been the same: silent corruption.

Where all processes take the same steps from the same gradients, all have the same parameters to the last bit. A
processor that computes one number wrong, or a program that changes a parameter in one process, sets that process
apart for good, and nothing is NaN. The sums of each trace hold digests of what variables held in each step, so that a
thousand traces are compared without reading them; only where they differ are a few steps of two traces read.

Nothing is said where processes are to differ: where each holds a part of the parameters, or they were never the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tensordbg.advice.lookup import fix
from tensordbg.analysis.columns.reading import SummedTrace
from tensordbg.analysis.finding import Alert
from tensordbg.analysis.processes.first_unlike import Unlike, first_unlike
from tensordbg.analysis.processes.names import several
from tensordbg.trace.sums.digests import Digests

_MOST_TOLD = 3
"""So many deviations are looked into, the earliest first."""

Entry = tuple[int, int]
"""How many values, and their digest."""


@dataclass(frozen=True)
class Deviation:
    """Processes that part from the others at one entry of the digests."""

    names: tuple[str, ...]
    others: tuple[str, ...]
    """Those that they were like before."""
    steps: range
    """In one of these they part."""
    alike: int
    """In steps from this one on, up to those, they had the same."""


def other_parameters(processes: Mapping[str, SummedTrace]) -> Iterator[Alert]:
    """One alert for each moment at which processes parted from the others."""
    for deviation in find_deviations(processes)[:_MOST_TOLD]:
        here, there = processes[deviation.names[0]], processes[deviation.others[0]]
        if (unlike := first_unlike(here, there, range(deviation.alike, deviation.steps.stop))) is not None:
            yield _alert(deviation, unlike)


def find_deviations(processes: Mapping[str, SummedTrace]) -> list[Deviation]:
    """Every moment at which processes parted from the others, the earliest first."""
    digests = {name: trace.sums().written for name, trace in processes.items()}
    return _deviations({name: each for name, each in digests.items() if len(each)})


def _deviations(digests: Mapping[str, Digests]) -> list[Deviation]:
    """All, in the order of steps; a process that has parted counts no more."""
    stride = max((each.stride for each in digests.values()), default=1)
    entries = {name: _entries(each.with_stride(stride)) for name, each in digests.items()}
    found: list[Deviation] = []
    agreed: int | None = None
    # Who had another number of values, since when: one of them may be what it parted by, such as a write by NumPy.
    counted_apart: dict[str, int] = {}
    for place in range(max(map(len, entries.values()), default=0)):
        there = {name: each[place] for name, each in entries.items() if place < len(each)}
        apart = _apart(there)
        if apart is None:
            break
        names, others = apart
        begin = min((counted_apart.get(name, place) for name in names), default=place)
        if names and agreed is not None and begin > 0:
            alike = min(agreed, begin - 1)
            found.append(Deviation(names, others, range(begin * stride, (place + 1) * stride), alike * stride))
        elif names:
            break  # they were to differ from the beginning, or that is not known any more
        if any(there[name][0] for name in others):
            agreed = place
        uncompared = (name for name in there if there[name][0] and name not in (*names, *others))
        counted_apart = {name: counted_apart.get(name, place) for name in uncompared}
        entries = {name: each for name, each in entries.items() if name not in names}
        if len(entries) < 2:
            break
    return found


def _apart(entries: Mapping[str, Entry]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Who is apart, and from whom, at one entry; None where most are not alike, and nothing can be said."""
    counts = Counter(count for count, _ in entries.values())
    if not counts:
        return None
    usual, _ = counts.most_common(1)[0]
    comparable = {name: entry for name, entry in entries.items() if entry[0] == usual}
    ((most, agreeing),) = Counter(comparable.values()).most_common(1)
    others = tuple(name for name, entry in comparable.items() if entry == most)
    names = tuple(name for name, entry in comparable.items() if entry != most)
    if names and agreeing < 2 and len(comparable) > 2:
        return None
    return (names, others) if 2 * agreeing >= len(comparable) else None


def _entries(digests: Digests) -> Sequence[Entry]:
    return list(zip(digests.counts, digests.digests, strict=True))


def _alert(deviation: Deviation, unlike: Unlike) -> Alert:
    who, others = several(deviation.names), several(deviation.others)
    one = len(deviation.names) == len(deviation.others) == 1
    before = "" if unlike.alike is None else f"; all had the same until step {unlike.alike}"
    kind = "known" if not one else "either"
    return Alert(
        kind="other_parameters",
        function=unlike.function,
        tensor=unlike.tensor,
        source=unlike.source,
        explanation=(
            f"{who} has another {unlike.variable} than {others} from step {unlike.step} on{before}; "
            f"its elements sum up to {unlike.here:.9g} instead of {unlike.there:.9g}"
        ),
        suggestion=fix(unlike.framework, "other_parameters", kind),
        evidence={
            "processes": list(deviation.names),
            "others": len(deviation.others),
            "variable": unlike.variable,
            "step": unlike.step,
        },
        process=deviation.names[0],
    )
