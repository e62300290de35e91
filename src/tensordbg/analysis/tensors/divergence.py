"""Where two recordings of one step part: the first tensors that differ though nothing that they were made from does.

Compared are the statistics of the tensors, by name, call path and iteration of the loop. What rounding alone explains
is no difference; that depends on the narrower of the two types.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tensordbg.analysis.names.listing import ListedTensor, Order, Selection, list_tensors
from tensordbg.analysis.program.description import Program, read_program
from tensordbg.model import NONE, Health
from tensordbg.trace.program.calls import reachable
from tensordbg.trace.reader import TraceReader

_EPSILON: Mapping[str, float] = {"bfloat16": 2.0**-7, "float16": 2.0**-10, "float32": 2.0**-23, "complex64": 2.0**-23}
_ROUNDINGS = 1000
"""So many errors of rounding may add up."""
_LARGEST = 0.05
"""A larger part of the largest element is a difference in every type."""

_UNIQUE = re.compile(r"/_\d+")
"""What the runtime adds to the name of a function that it inlines."""

_Key = tuple[str, str, str, int | None, int]
_Point = tuple[int, str, int | None]
"""Site, path, iteration."""


@dataclass(frozen=True)
class Pair:
    """One tensor in both recordings."""

    before: ListedTensor
    after: ListedTensor


@dataclass(frozen=True)
class Divergence:
    """How two recordings compare."""

    compared: int
    """How many tensors are in both."""
    apart: int
    """How many of them differ."""
    first: tuple[Pair, ...]
    """Those of them that were made of nothing that differs, each operation once, in the order in which they ran."""


def find_divergence(before: TraceReader, after: TraceReader) -> Divergence:
    """Compares the tensors of functions in two traces, or of all where none is of a function.

    Args:
        before: The step as it was.
        after: The same step, changed or computed in another type.
    """
    program = read_program(before)
    others = _by_key(after, read_program(after))
    pairs = [Pair(one, others[key]) for key, one in _by_key(before, program).items() if key in others]
    if not pairs:
        return _of_eager_steps(before, after)
    apart = [pair for pair in pairs if _differs(pair)]
    descent = _Descent(program, {_point(pair.before) for pair in pairs}, {_point(pair.before) for pair in apart})
    first = [pair for pair in apart if not descent.is_made_of_differing(pair.before)]
    once = {pair.before.site: pair for pair in sorted(first, key=lambda pair: -pair.before.event)}
    return Divergence(len(pairs), len(apart), tuple(sorted(once.values(), key=lambda pair: pair.before.event)))


def _of_eager_steps(before: TraceReader, after: TraceReader) -> Divergence:
    """Compares what ran operation by operation, by names and lines; what differs first was made of nothing else."""
    others = _by_line(after)
    pairs = [Pair(one, others[key]) for key, one in _by_line(before).items() if key in others]
    apart = sorted((pair for pair in pairs if _differs(pair)), key=lambda pair: pair.before.event)
    return Divergence(len(pairs), len(apart), tuple(apart[:1]))


def _by_line(trace: TraceReader) -> dict[tuple[str, str, int, int], ListedTensor]:
    counts: Counter[tuple[str, str, int]] = Counter()
    found = {}
    for row in list_tensors(trace, Selection(), Order(limit=0)).rows:
        place = (row.tensor, *((row.source.file, row.source.line) if row.source is not None else ("", 0)))
        found[(*place, counts[place])] = row
        counts[place] += 1
    return found


def _by_key(trace: TraceReader, program: Program) -> dict[_Key, ListedTensor]:
    counts: Counter[tuple[str, str, str, int | None]] = Counter()
    found = {}
    for row in list_tensors(trace, Selection(), Order(limit=0)).rows:
        if program.sites[row.site].function != NONE:
            place = (row.function, _UNIQUE.sub("", row.path), row.tensor, row.iteration)
            found[(*place, counts[place])] = row
            counts[place] += 1
    return found


def _point(row: ListedTensor) -> _Point:
    return row.site, row.path, row.iteration


def _differs(pair: Pair) -> bool:
    one, other = pair.before.health, pair.after.health
    if one is None or other is None or one.size != other.size:
        return one is not other
    if (one.nan, one.pos_inf, one.neg_inf) != (other.nan, other.pos_inf, other.neg_inf):
        return True
    narrower = max(_EPSILON.get(pair.before.dtype, 0.0), _EPSILON.get(pair.after.dtype, 0.0))
    allowed = min(_LARGEST, _ROUNDINGS * narrower) * max(_largest(one), _largest(other))
    return any(abs(a - b) > allowed for a, b in zip(_numbers(one), _numbers(other), strict=True))


def _largest(health: Health) -> float:
    return max((abs(number) for number in (health.min, health.max) if not math.isnan(number)), default=0.0)


def _numbers(health: Health) -> Iterator[float]:
    yield from (0.0 if math.isnan(number) else number for number in (health.min, health.max, health.mean))


class _Descent:
    """Whether tensors were made from some that differ."""

    def __init__(self, program: Program, seen: set[_Point], differing: set[_Point]) -> None:
        """Of the tensors of a program that were `seen`, those that are `differing`."""
        self._program = program
        self._seen = seen
        self._differing = differing

    def is_made_of_differing(self, row: ListedTensor) -> bool:
        """Whether anything that a tensor was made from differs; what was not recorded is looked through."""
        if self._from_differing(row.site, row):
            return True
        waiting, known = [row.site], {row.site}
        while waiting:
            for site in {reference.site for reference in self._program.inputs_of(waiting.pop())} - known - {NONE}:
                known.add(site)
                point = (site, row.path, row.iteration)
                if point in self._differing or self._came_out_of(site, row):
                    return True
                if point not in self._seen:
                    if self._from_differing(site, row):
                        return True
                    waiting.append(site)
        return False

    def _from_differing(self, site: int, row: ListedTensor) -> bool:
        """Whether it is what a caller, or the iteration before, gave, where something had come to differ by then.

        Which of the caller's tensors that was is not followed. Events tell no order: probes run beside the program.
        """
        sites = self._program.sites
        if sites[site].argument == NONE or not row.path:
            return False
        calls = self._calls_above(sites[site].function)
        for other, path, turn in self._differing:
            if path == row.path:
                if turn is not None and row.iteration is not None and turn < row.iteration:
                    return True
            elif row.path.startswith(path) and other < calls.get(sites[other].function, other):
                return True
        return False

    def _came_out_of(self, site: int, row: ListedTensor) -> bool:
        """Whether a call gave it, inside of which something differs."""
        called = self._program.sites[site]
        if not called.called:
            return False
        inside = f"{row.path}/{called.name}".lstrip("/")
        return any(path.startswith(inside) for _, path, _ in self._differing)

    def _calls_above(self, function: int) -> dict[int, int]:
        """The last call, by its site, in each function that leads to one; sites are numbered as they were made."""
        sites = self._program.sites
        ways = {called: [sites[call].function for call in calls] for called, calls in self._callers.items()}
        found: dict[int, int] = {}
        for called in reachable([function], [ways]):
            for call in self._callers.get(called, ()):
                above = sites[call].function
                found[above] = max(call, found.get(above, call))
        return found

    @cached_property
    def _callers(self) -> dict[int, list[int]]:
        """The sites that call each function."""
        found: dict[int, list[int]] = defaultdict(list)
        for number, site in self._program.sites.items():
            for called in self._program.called_by(site):
                if called is not None:
                    found[called.graph].append(number)
        return found
