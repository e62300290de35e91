"""Values that left the framework for Python and came back: read out as arrays, restored from a file, fed, assigned.

The trace does not see what Python does with an array. But what comes in from outside is known again by its
statistics: a tensor with the same elements that Python held before, or one whose bad elements lie in the same places,
where arithmetic in NumPy changed the others. So a bad value that came back is made from what left, and is no origin. Of
one that was cut out of what left, or put together from several, the trace can only say that it is likely.

Only what the framework computed can come back. What equals a value that had come in from outside itself is the same
data given again; and infinities with nothing but zeros beside them, as a mask or a first value holds them, are not made
of NaN or of other numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.flow.pipelines import returned
from tensordbg.analysis.flow.values import Values
from tensordbg.analysis.program.details import Details
from tensordbg.analysis.program.operations import INPUT, operation_of, reads_variables
from tensordbg.model import NONE
from tensordbg.operations.lookup import is_in_place
from tensordbg.operations.traits import Trait

_MOST = 1 << 18
"""So many tensors are compared, the first of them: what came back later, came from what had come back before."""

_BAD = ("nan", "neg_inf", "pos_inf", "first_bad")
_FINITE = ("negative", "zero", "min", "max")

_RANKS = 3


@dataclass(frozen=True)
class _Seen:
    """What a bad tensor looked like."""

    event: int
    port: int
    comes: bool
    """Whether it came in from outside; else Python could hold it."""
    variable: bool
    """Whether it is what a variable held."""
    parsed: bool
    """Whether an operation made it of a file, a text or the like, where no program writes down what it means."""
    shape: tuple[int, ...] | None
    row: Mapping[str, Any]
    puts_in: bool = False
    """Whether an operation wrote it into a tensor that exists, of which it may be a part."""

    @property
    def elements(self) -> tuple[object, ...]:
        """By what the same elements are known again, in whatever shape."""
        return tuple(self.row[name] for name in ("size", *_BAD, *_FINITE))

    @property
    def telling(self) -> bool:
        """Whether it has finite elements other than zero, so that another tensor has hardly the same."""
        return bool(self.row["min"] or self.row["max"])

    @property
    def rank(self) -> int:
        """Arithmetic makes what is of a higher rank of what is of a lower one, never the other way round."""
        return 2 if self.row["nan"] else int(self.telling)

    @property
    def written(self) -> bool:
        """Whether it holds infinities and zeros alone, as a mask or a first value that the program writes down."""
        return self.rank == 0 and not self.parsed

    @property
    def places(self) -> tuple[object, ...] | None:
        """By what it is known again after arithmetic: how many of its elements are bad, from which one on."""
        # A lone infinity is one that is written down, as a rule.
        if self.shape == () and not self.row["nan"] and not (self.variable or self.comes):
            return None
        return (self.shape, sum(self.row[name] or 0 for name in _BAD[:3]), self.row["first_bad"])

    @property
    def columns(self) -> tuple[object, ...] | None:
        """By what rows of the same data are known: those in which NaN stand throughout the same columns."""
        rows, nan = (self.shape or (0,))[0], self.row["nan"] or 0
        if not rows or not nan or nan % rows or len(self.shape or ()) < 2:
            return None
        # The first stands in the first row.
        return (self.shape or ())[1:], nan // rows, self.row["first_bad"]

    def may_hold(self, part: _Seen) -> bool:
        """Whether another tensor may be cut out of it, put together from it and others, or be one of its rows."""
        if self.puts_in and self._is_part_of(part):
            return True
        if not self.shape or not part.shape or (part.written and not self.written):
            return False
        if not (self.row["nan"] if part.row["nan"] else self.row["neg_inf"] or self.row["pos_inf"]):
            return False
        if part.shape[1:] in (self.shape, self.shape[1:]) or self.shape[1:] == part.shape:
            return True
        return _fits_in(part.shape, self.shape) and self._spans(part)

    def _is_part_of(self, whole: _Seen) -> bool:
        """Whether all that is bad in another tensor may be what was written into it here."""
        alike = all((self.row[name] or 0) == (whole.row[name] or 0) for name in _BAD[:3])
        return alike and _fits_in(self.shape or (), whole.shape or ())

    def _spans(self, part: _Seen) -> bool:
        if any((part.row[name] or 0) > (self.row[name] or 0) for name in _BAD[:3]):
            return False
        if part.row["min"] is None or self.row["min"] is None:
            return part.row["min"] is None
        return bool(self.row["min"] <= part.row["min"] and part.row["max"] <= self.row["max"])


@dataclass(frozen=True)
class Returns:
    """Bad values that left for Python and came in again from outside."""

    made: Ints
    """Bad events that came back;"""
    source: Ints
    """and for each the bad event that it is."""
    again: Ints
    """Those of `made` that never left: written down again at another place."""
    _seen: tuple[_Seen, ...] = ()
    """All that came in or left, in the order in which it did."""

    def likely(self, event: int, computed: Container[int]) -> int:
        """The last bad event that a value from outside may have been made of in Python; else `NONE`.

        Args:
            event: Of the value.
            computed: The bad events that the framework computed; the others are what it was given, handed on.
        """
        place = next((k for k, each in enumerate(self._seen) if each.event == event), NONE)
        if place == NONE:
            return NONE
        part, earlier = self._seen[place], self._seen[:place][::-1]
        if part.written and any(each.comes and each.elements == part.elements for each in earlier):
            return NONE
        if part.columns is not None and any(each.comes and each.columns == part.columns for each in earlier):
            return NONE
        left = (each for each in earlier if not each.comes and each.may_hold(part))
        return next((each.event for each in left if each.event in computed), NONE)


def find_returns(values: Values, details: Details) -> Returns:
    """Find what came back."""
    entering = np.flatnonzero(_entering(values))[:_MOST]
    nothing = np.empty(0, dtype=np.int64)
    if not len(entering):
        return Returns(nothing, nothing, nothing)
    leaving = _leaving(values)
    leaving[entering] = False
    left = np.flatnonzero(leaving[: entering[-1]])[:_MOST]
    events = np.concatenate([left, entering])
    events = events[np.argsort(_time(values, events), kind="stable")]
    seen = tuple(_computed_only(_look(values, details, events, np.isin(events, entering))))
    made, source = np.array([*_matched(seen)], dtype=np.int64).reshape(-1, 2).T
    written = np.array([each.event for each in seen if each.comes and each.written], dtype=np.int64)
    return Returns(made, source, made[np.isin(source, written) & np.isin(made, written)], seen)


def _time(values: Values, events: Ints) -> Ints:
    """When values came or left, as a number to sort by.

    Arguments came before all that their function computes; what it returns, Python holds when all that has run.
    """
    invocation, site = values.invocation[events], values.ports.site[values.port[events]]
    argument = values.ports.argument[site] >= 0
    first, last = _span(values)
    times = np.where(argument, 2 * np.minimum(first[invocation], events) - 1, 2 * events)
    at_the_end = ~argument & ~_held_at_once(values)[values.port[events]] & ~of_outside(values)[site]
    return np.where(at_the_end, np.maximum(times, 2 * last[invocation] + 1), times)


def _span(values: Values) -> tuple[Ints, Ints]:
    """For each invocation the first and the last event of the whole execution, the iterations of its loops too."""
    invocations = values.invocations
    executions, place = np.unique(invocations.execution, return_inverse=True)
    first, last = invocations.first.copy(), invocations.last.copy()
    earliest, latest = np.full(len(executions), np.iinfo(np.int64).max), np.full(len(executions), NONE)
    np.minimum.at(earliest, place, first)
    np.maximum.at(latest, place, last)
    known = invocations.execution != NONE
    first[known], last[known] = earliest[place][known], latest[place][known]
    return first, last


def _look(values: Values, details: Details, events: Ints, comes: Bools) -> Iterator[_Seen]:
    sites = values.program.sites
    written = (site for site in sites.values() if site.function == NONE and is_in_place(site.op_type))
    putting = {site.site for site in written if operation_of(site).has(Trait.MOVES)}
    reading = {site.site for site in sites.values() if reads_variables(site)}
    from_outside = (site for site in sites.values() if operation_of(site).has(Trait.FROM_OUTSIDE))
    parsing = {site.site for site in from_outside if site.op_type != INPUT and site.argument == NONE}
    rows = details.columns(events, ["shape", "size", *_BAD, *_FINITE])
    ports = values.port[events]
    columns = zip(events.tolist(), ports.tolist(), values.ports.site[ports].tolist(), comes.tolist(), rows, strict=True)
    for event, port, site, came, row in columns:
        shape = tuple(json.loads(row["shape"])) if row["shape"] else None
        # A NaN stands where there is no finite element, and is not equal to itself.
        finite = {name: None if row[name] is None or math.isnan(row[name]) else row[name] for name in _FINITE}
        yield _Seen(event, port, came, site in reading, site in parsing, shape, row | finite, site in putting)


def _computed_only(seen: Iterable[_Seen]) -> Iterator[_Seen]:
    """Leave out what left as it was written down before it came in: the framework did not compute it."""
    came: set[object] = set()
    for each in seen:
        if each.comes and each.written:
            came.add(each.elements)
        elif each.written and each.elements in came:
            continue
        yield each


def _matched(seen: Sequence[_Seen]) -> Iterator[tuple[int, int]]:
    """What came back, and what it is."""
    same: dict[object, int] = {}
    alike: dict[object, int] = {}
    given: dict[object, int] = {}
    known: dict[object, int] = {}
    for each in seen:
        if not each.comes:
            if each.places is not None:
                alike.update({(each.places, rank): each.event for rank in range(each.rank, _RANKS)})
            if each.telling:
                same[each.elements] = each.event
            continue
        # The same data coming in again, at the next epoch, is what it was the first time.
        again = (each.port, each.elements)
        if again not in known:
            data = each.telling or each.written
            found = given.get(each.elements, NONE) if data else NONE
            if found == NONE and each.telling:
                found = same.get(each.elements, NONE)
            if found == NONE:
                found = alike.get((each.places, each.rank), NONE)
            known[again] = found
            if found == NONE and data:
                given.setdefault(each.elements, each.event)
        if known[again] != NONE:
            yield each.event, known[again]


def _fits_in(shape: Sequence[int], other: Sequence[int]) -> bool:
    """Whether an array can be cut out of another: some of its axes, in order, none of them longer."""
    axes = iter(other)
    return all(any(length <= axis for axis in axes) for length in shape)


def _entering(values: Values) -> Bools:
    """Which events are bad and of values that no recorded operation made."""
    outside = of_outside(values)
    site = values.ports.site[values.port]
    argument = values.ports.argument[site]
    executions = values.executions
    result: Bools = values.events.bad & (outside[site] | (argument >= 0))
    given = np.flatnonzero(result & (argument >= 0))
    row = values.invocation[given]
    outermost = row < len(executions)
    result[given[~outermost]] = False
    given, row = given[outermost], row[outermost]
    place = executions.input_starts[row] + argument[given]
    there = place < executions.input_starts[row + 1]
    made = np.zeros(len(given), dtype=np.bool_)
    made[there] = executions.input_row[place[there]] != NONE
    result[given[made]] = False
    return result


def of_outside(values: Values) -> Bools:
    """For each site whether what it gives came in from outside of the program."""
    result = np.zeros(len(values.ports.first), dtype=np.bool_)
    sites = values.program.sites.values()
    result[[site.site for site in sites if operation_of(site).has(Trait.FROM_OUTSIDE) and site.argument == NONE]] = True
    return result


def _leaving(values: Values) -> Bools:
    """Which events are bad and of values that Python could hold."""
    held = returned(values) | _held_at_once(values)
    result: Bools = values.events.bad & held[values.port]
    return result


def _held_at_once(values: Values) -> Bools:
    """For each port whether Python could hold it when it was computed: eagerly, in a variable, given to a callback."""
    program, ports = values.program, values.ports
    held = np.zeros(len(ports.site), dtype=np.bool_)
    for site in program.sites.values():
        first = int(ports.first[site.site])
        if (site.function == NONE and site.op_type != INPUT) or reads_variables(site):
            held[first : first + int(ports.count[site.site])] = True
        elif operation_of(site).has(Trait.CALLS_PYTHON):
            held[[port for ref in program.inputs_of(site.site) if (port := ports.of(ref)) != NONE]] = True
    return held
