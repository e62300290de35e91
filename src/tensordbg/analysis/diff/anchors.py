"""Parts of two runs that the user, or their names, say correspond: their values are compared with each other alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from tensordbg.analysis.columns.hashing import mixed
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.diff.side import Side
from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.analysis.program.python_names import noted_names
from tensordbg.errors import UsageError
from tensordbg.model import Site

Named = tuple[str, str]
"""The names of a layer, a parameter or a tensor in A and in B."""

_NEAR = 3
"""So many names that resemble a wrong one are told."""
_SEPARATORS = re.compile(r"[./]")


@dataclass(frozen=True)
class Anchors:
    """For each value of both runs a number, the same for what corresponds; 0 where nothing is said."""

    a: Ints
    b: Ints

    def groups(self, of_a: Ints, of_b: Ints) -> tuple[Ints, Ints]:
        """Numbers that are equal where those given are equal and the values correspond."""
        if not self.a.any() and not self.b.any():
            return of_a, of_b
        return mixed(of_a, self.a), mixed(of_b, self.b)


def find_anchors(a: Side, b: Side, said: Sequence[Named]) -> Anchors:
    """Finds what corresponds.

    Args:
        a: The reference.
        b: The other run.
        said: The names that the user gives; what lies deeper in a layer goes before what holds for all of it. Where
            both runs are but named tensors, those of one name correspond anyway.

    Raises:
        UsageError: If a run has nothing of a name.
    """
    sites = _Sites(a, "the reference"), _Sites(b, "the other run")
    table = [np.zeros(len(side.values.ports.first), dtype=np.int64) for side in (a, b)]
    if a.is_loose and b.is_loose:
        theirs = {site.name: site.site for site in sites[1].used}
        shared = [(site.site, theirs[site.name]) for site in sites[0].used if site.name in theirs]
        for number, (of_a, of_b) in enumerate(shared, len(said) + 1):
            table[0][of_a], table[1][of_b] = number, number
    for number, pair in enumerate(sorted(said, key=lambda names: len(names[0])), 1):
        for each, name, rows in zip(sites, pair, table, strict=True):
            rows[each.named(name)] = number
    return Anchors(table[0][a.numbers.site], table[1][b.numbers.site])


class _Sites:
    """The operations of a run that have compared values, by all names that a user may give."""

    def __init__(self, side: Side, run: str) -> None:
        self._run = run
        self._side = side
        self.used = [side.program.sites[number] for number in np.unique(side.numbers.site).tolist()]
        self._names: dict[str, list[int]] = {}

    def named(self, name: str) -> list[int]:
        """The operations of a layer, of a parameter or of a tensor.

        Raises:
            UsageError: If there are none, or the name is the end of several.
        """
        if not self._names:
            for site in self.used:
                for each in dict.fromkeys(self._names_of(site)):
                    self._names.setdefault(each, []).append(site.site)
        wanted = re.sub(r":\d+$", "", name)
        if wanted in self._names:
            return self._names[wanted]
        ends = [each for each in self._names if _is_end(wanted, each)]
        if len(ends) == 1:
            return self._names[ends[0]]
        listed = sorted(ends) or get_close_matches(wanted, sorted(self._names), _NEAR, 0.4)
        near = ", ".join(repr(each) for each in listed[:_NEAR])
        if ends:
            raise UsageError(f"--map {name!r}: {self._run} has several of this name; name one of them in full: {near}")
        nearest = f"the nearest are {near}" if near else "`tdbg layers` and `tdbg ls` list them"
        raise UsageError(f"--map {name!r}: {self._run} has no such layer, parameter or tensor; {nearest}")

    def _names_of(self, site: Site) -> Iterator[str]:
        yield site.name
        yield from (name for names in noted_names(site) for name in names)
        yield from _beginnings(layer_path(site))
        variables = self._side.program.variables
        for number in site.reads:
            if number in variables:
                yield from _beginnings(variables[number].name.partition(":")[0])


def _beginnings(path: str) -> Iterable[str]:
    """`a`, `a.b` and `a.b.c` of `a.b.c`."""
    ends = [match.start() for match in _SEPARATORS.finditer(path)]
    return [path[:end] for end in (*ends, len(path)) if path[:end]]


def _is_end(name: str, path: str) -> bool:
    return path.endswith(name) and path[-len(name) - 1] in "./"
