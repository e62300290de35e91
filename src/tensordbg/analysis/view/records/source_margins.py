"""The source files that a trace holds, with what their lines created and how that fared."""

from __future__ import annotations

import io
import os
import tokenize
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.view.records.sites import NamedEvents, NamedSites, SiteNames
from tensordbg.errors import AbsentError
from tensordbg.model import NONE
from tensordbg.opening import read_whole

_MOST_SOURCE = 2**26
"""Bytes of a source file that is compared."""


@dataclass(frozen=True)
class SiteCounts:
    """For each site, by number, what was recorded of it."""

    events: Ints
    bad: Ints
    """How many of them are not finite."""
    telling: Ints
    """The first event that is not finite, else the first at all, `NONE` where there is none."""


@dataclass(frozen=True)
class MadeAtLine:
    """Operations of one type and function that one line created."""

    op_type: str
    name: str
    """Of the first."""
    function: str
    operations: int
    events: int
    bad: int
    event: int | None
    """See `SiteCounts.telling`."""


@dataclass(frozen=True)
class SourceText:
    """A file, and by the number of the line what was created there."""

    file: str
    text: str
    changed: bool
    """Whether the file on this machine is another by now, or gone."""
    lines: dict[int, tuple[MadeAtLine, ...]]


@dataclass(frozen=True)
class SourceSummary:
    """A file that the trace holds."""

    file: str
    user: bool
    operations: int
    bad: int
    """How many of its operations computed something that is not finite."""


class CountedSites(NamedSites, Protocol):
    """A trace that knows what was recorded of each site."""

    @property
    def site_counts(self) -> SiteCounts:
        """Counts the events recorded of each site."""


def count_sites(opened: NamedEvents) -> SiteCounts:
    """Counts the events recorded of each site."""
    site, bad = opened.columns.whole("site"), opened.columns.bad()
    size = max(opened.program.site_count, int(site.max(initial=NONE)) + 1)
    telling = np.full(size, NONE, dtype=np.int64)
    # The last assignment of an index counts, so the events are given from the last to the first.
    telling[site[::-1]] = np.arange(len(site) - 1, -1, -1)
    worst = np.flatnonzero(bad)[::-1]
    telling[site[worst]] = worst
    return SiteCounts(np.bincount(site, minlength=size), np.bincount(site[bad], minlength=size), telling)


def list_sources(opened: CountedSites) -> list[SourceSummary]:
    """All files, those of the user first, then those with something not finite."""
    user = {frame.file: frame.user for frames in opened.program.stacks.values() for frame in frames}
    sites: dict[str, list[int]] = {}
    for number, names in opened.sites.items():
        if names.source is not None:
            sites.setdefault(names.source.file, []).append(number)
    bad = opened.site_counts.bad
    found = [
        SourceSummary(file, user.get(file, False), len(made), int((bad[made] > 0).sum()))
        for file in opened.program.sources
        for made in [sites.get(file, [])]
    ]
    return sorted(found, key=lambda each: (not each.user, -each.bad, -each.operations, each.file))


def read_source(opened: CountedSites, file: str) -> SourceText:
    """One file as it was when the program ran.

    Raises:
        AbsentError: If the trace does not hold it.
    """
    text = opened.program.sources.get(file)
    if text is None:
        raise AbsentError(
            f"the trace holds no source file {file!r}; choose one of those that the list of sources names"
        )
    lines: dict[int, list[SiteNames]] = {}
    for names in opened.sites.values():
        if names.source is not None and names.source.file == file:
            lines.setdefault(names.source.line, []).append(names)
    made = {line: tuple(_made_at(lines[line], opened.site_counts)) for line in sorted(lines)}
    return SourceText(file, text, _has_changed(file, text), made)


def _made_at(sites: Iterable[SiteNames], counts: SiteCounts) -> list[MadeAtLine]:
    """One entry for each type and function, what is not finite first."""
    groups: dict[tuple[str, str], list[SiteNames]] = {}
    for names in sites:
        groups.setdefault((names.function, names.site.op_type), []).append(names)
    found = []
    for (function, op_type), members in groups.items():
        numbers = np.array([names.site.site for names in members])
        telling = counts.telling[numbers]
        bad = telling[(counts.bad[numbers] > 0)]
        known = bad if len(bad) else telling[telling != NONE]
        event = int(known.min()) if len(known) else None
        total = int(counts.events[numbers].sum()), int(counts.bad[numbers].sum())
        found.append(MadeAtLine(op_type, members[0].site.name, function, len(members), *total, event))
    return sorted(found, key=lambda each: (each.bad == 0, each.events == 0))


def _has_changed(file: str, text: str) -> bool:
    """Whether a file holds another text now; what Python was told at a prompt has no file."""
    if file.startswith("<"):
        return False
    try:
        # The trace names it, so it may be anything, such as a pipe; a link to the user's own source is all right.
        data = read_whole(Path(os.path.realpath(file)), _MOST_SOURCE)
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        lines = data.decode(encoding).splitlines()
    except (OSError, ValueError, SyntaxError, LookupError):
        return True
    return lines != text.splitlines()
