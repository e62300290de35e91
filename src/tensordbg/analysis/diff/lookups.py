"""Lookups of rows of a table whose gradient a run takes otherwise: without a padding row, or by how often each occurs.

Such a setting changes nothing that a forward pass computes, and frameworks keep gradients of tables in unlike forms. So
the whole numbers that are looked up tell whether it counts, and how many elements of the gradient behind are zero.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from tensordbg.analysis.diff.apart import Apart, Both, Pair
from tensordbg.analysis.diff.first_difference import in_order
from tensordbg.analysis.diff.matching import FAR
from tensordbg.analysis.diff.result import AttributeDifference
from tensordbg.analysis.diff.whole_inputs import WholeInput, whole_inputs
from tensordbg.analysis.diff.wording import Explained
from tensordbg.analysis.program.operations import operation_of
from tensordbg.model import Site
from tensordbg.operations.kinds import Kind
from tensordbg.operations.setting_names import BY_FREQUENCY, LEFT_OUT, LookupSettings, lookup_settings

_LOOKED_AT = 16
"""So many lookups with such a setting are looked at."""
_SEARCHED = 64
"""... and so many of the other run for those that correspond."""
_GATHER = list(Kind).index(Kind.GATHER)
_LOW, _HIGH = range(2)


@dataclass(frozen=True)
class _Lookup:
    """A lookup whose gradient one run may take otherwise."""

    both: Both
    """The run with the setting is `mine`."""
    site: Site
    """The lookup of `mine`."""
    other: int
    """The same lookup of the other run."""
    table: int
    """The gradient of the table in `mine`."""
    taken: int
    """The gradient of the rows that were looked up in the other run."""
    numbers: WholeInput
    """What is looked up, in the other run."""


def with_lookups(a: Apart, b: Apart, pairs: list[Pair]) -> tuple[list[Pair], dict[Pair, Explained]]:
    """Puts such gradients among the places where the runs part, in place of what is only known to come of them."""
    sides = (Both(a, b), Both(b, a, turned=True))
    found = dict(islice((told for both in sides for each in _lookups(both) for told in _differences(each)), 1))
    for unlike in found:
        pairs = in_order(b, [unlike, *(pair for pair in pairs if pair.a != unlike.a and pair.b != unlike.b)])
    return pairs, found


def _lookups(both: Both) -> Iterator[_Lookup]:
    """The lookups with such a setting of which the other run has the same and takes the gradient of."""
    for site, row in islice(_partners(both), _LOOKED_AT):
        table, taken, numbers = _table_gradient(both, row), _end(both.other, row), whole_inputs(both.other, [row])
        if table is not None and taken is not None and len(numbers) == 1:
            yield _Lookup(both, site, row, table, taken, numbers[0])


def _partners(both: Both) -> Iterator[tuple[Site, int]]:
    """Lookups with such a setting, and those of the other run: of the same result, or that a kernel keeps to itself."""
    mine, other = both.mine, both.other
    seen = mine.side.seen_sites
    sites = [each for each in mine.side.program.sites.values() if operation_of(each).kind is Kind.GATHER]
    sites = [each for each in sites if not each.backward and _settings(each) != LookupSettings()]
    if not sites:
        return
    rows = np.flatnonzero((other.side.kinds == _GATHER) & ~other.side.backward).tolist()[:_SEARCHED]
    for row, site in ((row, site) for row in rows for site in sites):
        same = mine.side.numbers.site == site.site
        same &= (mine.side.numbers.step == other.side.numbers.step[row]) & (mine.label >= 0)
        agree = (other.label[row],) if site.site in seen else tuple(other.label[_tables(other, row)])
        if np.isin(agree, mine.label[same] if site.site in seen else mine.label).any():
            yield site, row


def _settings(site: Site) -> LookupSettings:
    return lookup_settings(json.loads(site.attributes))


def _tables(apart: Apart, row: int) -> list[int]:
    """The table that a lookup takes rows of."""
    side = apart.side
    return [each for each in side.edges.parents[row] if side.numbers.size[each] > 1 and apart.label[each] >= 0]


def _table_gradient(both: Both, row: int) -> int | None:
    """The gradient in the one run of the table that a lookup of the other takes rows of."""
    mine, other, step = both.mine.side, both.other.side, both.other.side.numbers.step[row]
    shapes = [other.shape(each) for each in _tables(both.other, row)]
    sizes = [other.numbers.size[each] for each in _tables(both.other, row)]
    rows = np.flatnonzero(mine.backward & (mine.numbers.step == step) & np.isin(mine.numbers.size, sizes)).tolist()
    return next((each for each in rows if mine.shape(each) in shapes), None)


def _end(apart: Apart, row: int) -> int | None:
    """The gradient of the rows that a lookup gives, of which at most that of the table is made; `None` if unknown."""
    side = apart.side
    gradients = side.backward & (side.numbers.step == side.numbers.step[row])
    size = side.numbers.size
    tables = np.isin(size, [size[each] for each in _tables(apart, row)])
    ends = gradients & (size == size[row]) & ~side.edges.has_child(gradients & ~tables)
    rows = np.flatnonzero(ends).tolist()
    return int(rows[0]) if len(rows) == 1 else None


def _differences(lookup: _Lookup) -> Iterator[tuple[Pair, Explained]]:
    mine, theirs = _settings(lookup.site), _settings(lookup.both.other.side.site(lookup.other))
    run, other = "BA" if lookup.both.turned else "AB"
    name = lookup.site.op_type
    if mine.left_out != theirs.left_out and mine.left_out is not None and (asked := _asked_for(lookup, mine.left_out)):
        text = f"{name} of {run} takes no gradient of row {mine.left_out} of its table"
        text += f", which {asked} of {lookup.numbers.size} lookups ask for; {other} does"
        yield _in_words(lookup, AttributeDifference(LEFT_OUT, mine.left_out, theirs.left_out), text)
    if mine.by_frequency and not theirs.by_frequency and _are_repeated(lookup):
        text = f"{name} of {run} divides the gradient of each row of its table by how often it was looked up"
        text += f"; {other} does not, and rows were looked up more than once"
        yield _in_words(lookup, AttributeDifference(BY_FREQUENCY, mine.by_frequency, theirs.by_frequency), text)


def _in_words(lookup: _Lookup, of_mine: AttributeDifference, text: str) -> tuple[Pair, Explained]:
    turned = lookup.both.turned
    rows = (lookup.taken, lookup.table) if turned else (lookup.table, lookup.taken)
    difference = AttributeDifference(of_mine.attribute, of_mine.b, of_mine.a) if turned else of_mine
    suggestion = f"set {difference.attribute} to {difference.a} in B, or have the other in A: the gradient of the table"
    return Pair(*rows, FAR), Explained("value", *rows, FAR, True, (difference,), text, suggestion)


def _asked_for(lookup: _Lookup, left_out: int) -> int:
    """How many lookups ask for a row that has no gradient in one run, and has one in the other; at least so many."""
    numbers, zero = lookup.numbers, _zeros(lookup.both.other, lookup.numbers.event)
    if numbers.elements is not None:
        asked = int((numbers.elements == left_out).sum())
    elif left_out == 0:
        asked = zero
    else:
        asked = int(left_out in numbers.statistics[: _HIGH + 1])
    return asked if _zero_in_other(lookup) < asked * _width(lookup) else 0


def _are_repeated(lookup: _Lookup) -> bool:
    """Tells whether gradients of one row are added, as the other run has more of them than there are rows."""
    numbers = lookup.numbers
    if numbers.elements is not None:
        rows = len(np.unique(numbers.elements))
    else:
        rows = int((numbers.statistics[_HIGH] or 0) - (numbers.statistics[_LOW] or 0)) + 1
    elements = int(lookup.both.other.side.numbers.size[lookup.taken])
    return elements - _zero_in_other(lookup) > rows * _width(lookup)


def _zero_in_other(lookup: _Lookup) -> int:
    other = lookup.both.other
    return _zeros(other, int(other.side.numbers.event[lookup.taken]))


def _width(lookup: _Lookup) -> int:
    """The length of a row of the table."""
    return int(lookup.both.other.side.numbers.size[lookup.other]) // lookup.numbers.size


def _zeros(apart: Apart, event: int) -> int:
    """How many elements of an event are zero."""
    (told,) = apart.side.details.columns(np.array([event]), ["zero"])
    return int(told["zero"] or 0)
