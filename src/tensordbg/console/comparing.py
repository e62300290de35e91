"""The trace that is looked at beside another one: a page with where they part, and ways to what is told there."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from tensordbg.analysis.columns.reading import TraceSource
from tensordbg.analysis.diff.result import Comparison
from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Page, Place, Span
from tensordbg.console.pages.rich_lines import lines_of
from tensordbg.console.pages.texts import word
from tensordbg.trace.reader import TraceReader, open_trace

_LINKS = 8
"""So many of the values that are apart are led to."""


class StoredTrace(TraceSource, Protocol):
    """A trace on disk."""

    reader: TraceReader


def is_folder(text: str) -> bool:
    """Tells whether a word names a folder on disk, and not a tensor."""
    return Path(text).expanduser().is_dir()


def compared_page(opened: StoredTrace, folder: str) -> Page:
    """Compares the trace that is looked at with another, which is the reference.

    Raises:
        TraceError: If the folder holds no trace.
        UsageError: If it holds one of several processes.
    """
    from tensordbg.analysis.diff.compare import Asked, compare
    from tensordbg.report.diff_text import diff_text
    from tensordbg.trace.folders.runs import find_run

    reference = open_trace(find_run(Path(folder).expanduser()).only().folder)
    result = compare(reference, opened, Asked())
    body = JoinedLines((lines_of(diff_text(result)), FixedLines(_links(result))))
    told = None if result.first is None else result.first.b
    return Page(
        f"{reference.path.name} (A) and {opened.reader.path.name} (B)",
        body,
        mood="bad" if result.status == "diverged" else "",
        event=None if told is None else told.view.event,
        place=None if told is None or told.source is None else Place(told.source.file, told.source.line),
    )


def _links(result: Comparison) -> tuple[Line, ...]:
    """Ways to what is apart in the trace that is looked at, the first in the data flow."""
    apart = [each for each in result.errors if each.state != "equal"][:_LINKS]
    if not apart:
        return ()
    lines: list[Line] = [(), (Span("apart in this trace, along the data flow:", "heading"),)]
    for each in apart:
        state = {"added": "made there", "inherited": "came in"}[each.state]
        error = "-" if each.error is None else f"{each.error:.2e}"
        link = Span(each.b, "link", f"pt {word(each.b)} -e {each.event_b}")
        lines.append((Span(f"  {error:>8}  {state:10}  "), link, Span(f"  {each.line_b}", "dim")))
    return tuple(lines)
