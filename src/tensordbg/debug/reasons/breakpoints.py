"""Breakpoints: which of them a run, or an eager operation, has reached."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tensordbg.analysis.program.layer_path import layer_path
from tensordbg.analysis.view.records.sites import NamedEvents
from tensordbg.console.language.filters import Filter, Filters
from tensordbg.console.language.node_patterns import parse_pattern
from tensordbg.console.pages.page import Place
from tensordbg.console.running import BreakKind, Breakpoint
from tensordbg.debug.lines.breaks import LineBreaks, words
from tensordbg.debug.reasons.newest import Newest
from tensordbg.model import NONE, Frame
from tensordbg.recording.catalog import Catalog


@dataclass(frozen=True)
class Computed:
    """An operation that was computed, or the call of a function."""

    name: str
    op_type: str
    functions: tuple[str, ...]
    """Names of the function that it is part of."""
    layer: str
    frames: tuple[Frame, ...]
    """Where it was made."""


Test = Callable[[Computed], bool]


@dataclass
class Breakpoints:
    """Those that are set, by number from 1."""

    filters: Filters
    by_number: dict[int, Breakpoint] = field(default_factory=dict)
    lines: LineBreaks = field(default_factory=LineBreaks)
    """Those at lines."""
    _tests: dict[int, Test | Filter] = field(default_factory=dict)
    _count: int = 0

    def add(self, breakpoint: Breakpoint) -> int:  # noqa: A002  what it is
        """Sets one and returns its number.

        Raises:
            UsageError: If its filter or its condition is not understood.
        """
        by_filter = breakpoint.kind is BreakKind.FILTER
        test = self.filters.parse(breakpoint.text) if by_filter else test_of(breakpoint)
        if breakpoint.kind is BreakKind.LINE:
            self.lines.add(self._count + 1, breakpoint)
        self._count += 1
        self.by_number[self._count], self._tests[self._count] = breakpoint, test
        return self._count

    def remove(self, number: int) -> None:
        """Takes one away."""
        del self.by_number[number], self._tests[number]
        self.lines.remove(number)

    @property
    def has_others(self) -> bool:
        """Whether any names something else than a line."""
        return any(each.kind is not BreakKind.LINE for each in self.by_number.values())

    def reached(
        self,
        computed: Iterable[Computed],
        newest: Newest | None,
        lines: Iterable[Computed] = (),
        met: Container[int] = (),
    ) -> str:
        """The first one that is reached, in words; empty where none is.

        Args:
            computed: What was computed.
            newest: The events of that; None where filters are not to be asked.
            lines: What was computed without a stop at its line, such as by a session.
            met: Numbers of the breakpoints whose lines were met all the same.
        """
        all_of_it, without = list(computed), list(lines)
        for number, test in self._tests.items():
            if callable(test):
                of_line = self.by_number[number].kind is BreakKind.LINE
                hit = number not in met and any(test(each) for each in (without if of_line else all_of_it))
            else:
                hit = newest is not None and newest.any_passes(test)
            if hit:
                given = self.by_number[number]
                self.lines.seen.add(number)
                return words(number, given) + (_IN_SESSION if given.kind is BreakKind.LINE else "")
        return ""


_IN_SESSION = "; its run could not be held inside at what this line makes, so it is stopped at behind the run"


def test_of(breakpoint: Breakpoint) -> Test:  # noqa: A002
    """Whether an operation is what a breakpoint names, one that is no filter."""
    text = breakpoint.text
    if breakpoint.kind is BreakKind.LINE:
        file, _, line = text.rpartition(":")
        return at_line(Place(file, int(line)))
    if breakpoint.kind is BreakKind.OPERATION:
        pattern, of_type = parse_pattern(text), _fitting(text)
        return lambda computed: pattern.fits(computed.name) or of_type(computed.op_type)
    fits = _fitting(text)
    if breakpoint.kind is BreakKind.FUNCTION:
        return lambda computed: any(map(fits, computed.functions))
    return lambda computed: fits(computed.layer) or any(map(fits, computed.layer.split("/")))


def at_line(place: Place) -> Test:
    """Whether an operation was made at a line, or at one that was called from there."""
    ending = "/" + place.file.lstrip("/")

    def test(computed: Computed) -> bool:
        return any(
            frame.line == place.line and (frame.file == place.file or frame.file.endswith(ending))
            for frame in computed.frames
        )

    return test


def computed_in(opened: NamedEvents) -> list[Computed]:
    """The operations that some events tell of."""
    stacks: Mapping[int, tuple[Frame, ...]] = opened.program.stacks
    found = []
    for number in np.unique(opened.columns.whole("site")).tolist():
        names = opened.site(number)
        functions = (names.function, names.given_function)
        frames = stacks.get(names.site.stack, ())
        found.append(Computed(names.site.name, names.site.op_type, functions, names.layer, frames))
    return found


def computed_at(catalog: Catalog, site: int) -> Computed:
    """An eager operation."""
    known = catalog.site(site)
    frames = () if known.stack == NONE else catalog.frames(known.stack)
    around = next((frame.function for frame in reversed(frames) if frame.user), "")
    return Computed(known.name, known.op_type, (around,), layer_path(known), frames)


def _fitting(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(fnmatch.translate(pattern))
    return lambda text: compiled.match(text) is not None
