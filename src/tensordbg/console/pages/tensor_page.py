"""The page of one tensor: what it is, where it was made, and its elements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.causes.case import unravelled
from tensordbg.analysis.tensors.intervals import Interval, inside
from tensordbg.analysis.tensors.slices import parse_slice, take
from tensordbg.analysis.view.event.value_window import KeptElements
from tensordbg.console.pages.element_format import format_of
from tensordbg.console.pages.element_lines import ElementLines
from tensordbg.console.pages.navigation import find_line
from tensordbg.console.pages.numeric_summary import summary_lines
from tensordbg.console.pages.page import FixedLines, JoinedLines, Line, Lines, Page, Place, Span
from tensordbg.console.pages.texts import EMPTY, place_span, text_lines, word
from tensordbg.console.pages.writing import write_elements
from tensordbg.errors import UsageError
from tensordbg.health import measure
from tensordbg.model import NONE, Detail, Health
from tensordbg.report.listing import iteration_text
from tensordbg.report.numbers import ABSENT, count
from tensordbg.trace.raw.strings import DTYPE, lengths_of
from tensordbg.trace.reader import TraceReader

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.columns import EventColumns
    from tensordbg.analysis.view.records.rows import SeenTensor

Array = npt.NDArray[Any]

_MANY_LINES = 20_000
_SUMMARY = ("Numeric summary:", "Lengths of the strings in bytes:")
_LETTERS = re.compile(r"-?[A-DF-IK-Za-df-ik-z]+")


@dataclass(frozen=True)
class Look:
    """The part of the elements that is shown."""

    part: str = ""
    """A slice, empty for all."""
    intervals: tuple[Interval, ...] = ()
    everything: bool = False
    summary: bool = False
    write: str = ""
    digits: int | None = None
    most: int = 2000
    """Of more elements some are left out."""


class ShownTensors(KeptElements, Protocol):
    """A trace whose tensors are shown with their elements."""

    reader: TraceReader

    def whole(self, row: SeenTensor) -> str:
        """The ragged or sparse tensor whose elements an event holds, as far as known."""


def tensor_page(opened: ShownTensors, event: int, look: Look, among: Sequence[Line] = ()) -> Page:
    """The page of one event.

    Args:
        opened: The trace.
        event: Its number.
        look: What is shown of its elements.
        among: Lines on the others that it was chosen from.

    Raises:
        UsageError: If there is no such slice of it, or its elements are asked for and were not kept.
        TraceError: If they can't be read.
    """
    row = opened.row(event)
    place = None if row.source is None else Place(row.source.file, row.source.line)
    title = f'Tensor "{row.tensor}{look.part}":'
    bad = "bad" if row.health is not None and row.health.non_finite else ""
    if not row.kept:
        body = _without_elements(opened, row, look, among)
        return Page(title, body, mood="bad" if bad else "", event=event, place=place)
    array = take(opened.value(event), parse_slice(look.part)) if look.part else opened.value(event)
    if look.write:
        return write_elements(writable(array), look.write)
    head = [*_description(row, array, sliced=bool(look.part)), *_whole(opened, row), *among]
    page = elements_page(title, array, look, head)
    return replace(page, mood="bad" if bad else "", event=event, place=place)


def elements_page(title: str, array: Array, look: Look, head: Sequence[Line]) -> Page:
    """A page of elements with some lines before them."""
    plain = writable(array)
    parts: list[Lines] = [FixedLines(tuple(head))]
    if look.summary:
        parts += [text_lines(_SUMMARY[plain.dtype == object], style="heading"), summary_lines(_measured(plain))]
    if look.intervals:
        found = int(inside(plain, look.intervals).sum())
        ranges = ",".join(interval.text for interval in look.intervals)
        share = f" ({found / plain.size:.2%})" if plain.size else ""
        said = f"Highlighted({ranges}): {count(found)} of {count(plain.size)} element(s){share}"
        parts.append(text_lines(said, style="highlight"))
    shortened = plain.size > look.most and not look.everything
    lines = ElementLines(plain, format_of(plain, look.digits), look.intervals, shortened)
    parts.append(EMPTY)
    before = sum(map(len, parts))
    parts.append(lines)
    if shortened:
        parts.append(text_lines(f"{count(plain.size)} elements; -a shows all of them", style="dim"))
    body = JoinedLines(tuple(parts))
    page = Page(title, body, anchor=lambda index: before + lines.line_of(index))
    if len(lines) <= _MANY_LINES:
        return page

    def search(pattern: re.Pattern[str], begin: int) -> int | None:
        # In what is not finite there are letters, in other numbers there are none but `e` and `j`.
        if _LETTERS.fullmatch(pattern.pattern) is None:
            return find_line(page, pattern, begin)
        above = find_line(Page("", FixedLines(tuple(page.lines(0, before)))), pattern, begin)
        found = lines.find_odd(pattern, max(begin - before, 0)) if above is None else None
        return above if found is None else before + found

    return replace(page, search=search)


def _measured(array: Array) -> Health:
    return lengths_of(array) if array.dtype == object else measure(array)


def writable(array: Array) -> Array:
    """The array in a dtype that NumPy itself has: bfloat16 and its like become float32, which holds them all."""
    return array if array.dtype.kind in "biufcSUO" else array.astype(np.float32)


def choose_event(
    opened: EventColumns, events: Sequence[int] | npt.NDArray[Any], number: int | None, near: int = NONE
) -> int:
    """Which of several events of a tensor is shown: one by number, else the first bad one, else the last.

    Args:
        opened: The trace.
        events: Their numbers.
        number: The place of one of them; None where none is asked for.
        near: The event in context: those of its execution, and of its iteration, come before all others.

    Raises:
        UsageError: If there are not so many.
    """
    if number is not None:
        if not -len(events) <= number < len(events):
            raise UsageError(f"no number {number}: there are {count(len(events))}, numbered from 0; -1 is the last")
        return number % len(events)
    places = _in_context(opened, np.asarray(events), near)
    bad = np.flatnonzero(opened.columns.bad()[np.asarray(events)[places]])
    return int(places[bad[0] if len(bad) else -1])


def _in_context(opened: EventColumns, events: npt.NDArray[Any], near: int) -> npt.NDArray[Any]:
    """The places of the events of one execution, and iteration, with an event; of all where there are none of it."""
    chosen = np.arange(len(events))
    if near == NONE:
        return chosen
    for column in ("execution", "iteration"):
        values = opened.columns.whole(column)
        alike = chosen[values[events[chosen]] == values[near]]
        if not len(alike):
            break
        chosen = alike
    return chosen


def others_line(number: int, total: int, command: str) -> list[Line]:
    """A line on which of several events is shown, with links to those next to it."""
    if total == 1:
        return []
    spans = [Span(f"  number {count(number)} of {count(total)} (from 0); -n chooses another")]
    if number:
        spans += [Span("  "), Span("| <-- |", "link", f"{command} -n {number - 1}")]
    if number < total - 1:
        spans += [Span("  "), Span("| --> |", "link", f"{command} -n {number + 1}")]
    return [tuple(spans)]


def _description(row: SeenTensor, array: Array | None, sliced: bool) -> Iterator[Line]:
    yield from _first_bad(row.health, row.shape)
    yield (Span(f"  dtype: {row.dtype or ABSENT}"),)
    shape = ABSENT if row.shape is None else str(tuple(row.shape))
    yield (Span(f"  shape: {shape}{f', of the slice {array.shape}' if sliced and array is not None else ''}"),)
    yield (Span("  node:  "), Span(row.op_name, "link", f"ni {word(row.op_name)}"), Span(f" ({row.op_type})"))
    step = "outside of any run" if row.step == NONE else f"step {row.step}"
    turn = "" if row.iteration is None else f", iteration {iteration_text(row)}"
    path = f", called at {row.path}" if row.path else ""
    yield (Span(f"  when:  {step}{turn}{f' of {row.function}' if row.function else ''}{path}; event {row.event}"),)
    if row.source is not None:
        yield (Span("  line:  "), place_span(row.source))


def _first_bad(health: Health | None, shape: Sequence[int] | None) -> Iterator[Line]:
    """The first element that is not finite, and how many there are."""
    index = unravelled(health, None if shape is None else tuple(shape))
    if health is None or index is None or not health.non_finite:
        return
    kinds = [(health.nan, "NaN"), (health.neg_inf, "-inf"), (health.pos_inf, "+inf")]
    names = " or ".join(name for number, name in kinds if number)
    where = f"first {names} at {list(index)}, " if index else ""
    yield (Span(f"  bad:   {where}{count(health.non_finite)} of {count(health.size)}", "bad"),)


def _whole(opened: ShownTensors, row: SeenTensor) -> Iterator[Line]:
    """The ragged or sparse tensor of which these are the elements."""
    for number, text in enumerate(opened.whole(row).splitlines()):
        yield (Span(f"{'  whole: ' if number == 0 else ' ' * 9}{text}"),)


def _without_elements(opened: ShownTensors, row: SeenTensor, look: Look, among: Sequence[Line]) -> Lines:
    why = "record with --detail values"
    if opened.reader.metadata.detail is Detail.VALUES:
        why = "no option of the recording chose them, or its budget was used up"
    if look.part or look.write or look.intervals:
        raise UsageError(f"the elements of {row.tensor} were not kept: {why}")
    parts: list[Lines] = [FixedLines((*_description(row, None, sliced=False), *_whole(opened, row), *among))]
    if row.health is not None:
        parts += [text_lines(_SUMMARY[row.dtype == DTYPE], style="heading"), summary_lines(row.health)]
    parts.append(text_lines(f"The elements were not kept: {why}.", style="dim"))
    return JoinedLines(tuple(parts))
