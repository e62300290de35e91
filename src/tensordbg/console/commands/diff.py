"""`diff`: a tensor in two runs, and where its elements differ; or the whole trace beside another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.tensors.slices import parse_slice, take
from tensordbg.console.comparing import compared_page, is_folder
from tensordbg.console.names.runs import EVERYTHING
from tensordbg.console.names.tensors import TensorName, find_tensor, typed_tensor
from tensordbg.console.options import all_option, function_option
from tensordbg.console.pages.page import JoinedLines, Line, Lines, Page, Span
from tensordbg.console.pages.tensor_page import Look, choose_event, elements_page, writable
from tensordbg.console.pages.texts import table_lines, text_lines, word
from tensordbg.errors import UsageError
from tensordbg.report.listing import type_text
from tensordbg.report.numbers import count, short

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.rows import SeenTensor
    from tensordbg.console.console import Console


@click.command("diff", add_help_option=False)
@click.argument("name", metavar="NAME[:SLOT][SLICE]|PATH")
@click.argument("first", metavar="[RUN A]", type=int, required=False)
@click.argument("second", metavar="[RUN B]", type=int, required=False)
@all_option
@function_option
@click.pass_obj
def command(
    console: Console, name: str, first: int | None, second: int | None, everything: bool, function: str
) -> Page:
    """Compare a tensor in two runs: its statistics, and where its elements were kept B - A.

    By default B is the last run that computed it and A the one before; with one number that is A. With the PATH of
    another trace, say where the two traces part, as `tdbg diff PATH THIS`.
    """
    if first is None and is_folder(name):
        return compared_page(console.opened, name)
    typed = typed_tensor(console.opened, name)
    runs = _two_runs(console, typed, function, first, second)
    rows = [console.opened.row(_event(console, typed, function, run)) for run in runs]
    title = f"{rows[0].tensor}{typed.part}: run {runs[0]} and run {runs[1]}"
    statistics: list[Lines] = [_statistics(runs, rows), text_lines("")]
    if not all(row.kept for row in rows):
        said = text_lines("The elements were not kept in both; record with --detail values.", style="dim")
        return Page(title, JoinedLines((*statistics, said)))
    before, after = (_elements(console, row, typed) for row in rows)
    if before.shape != after.shape:
        said = text_lines(f"The shapes differ: {list(before.shape)} and {list(after.shape)}.", style="bad")
        return Page(title, JoinedLines((*statistics, said)))
    look = Look(everything=everything, most=console.settings.elements)
    page = elements_page(title, _difference(before, after), look, list(_differing(before, after)))
    shift = sum(map(len, statistics))
    anchor = page.anchor
    return Page(
        title,
        JoinedLines((*statistics, page.body)),
        anchor=None if anchor is None else lambda index: shift + anchor(index),
    )


def _two_runs(
    console: Console, typed: TensorName, function: str, first: int | None, second: int | None
) -> tuple[int, int]:
    if first is not None and second is not None:
        return first, second
    computed = _runs_of(console, find_tensor(console.opened, typed, EVERYTHING, function).events)
    if first is not None:
        computed = [first, *[run for run in computed if run > first][-1:]]
    if len(computed) < 2:
        raise UsageError(f"{typed.text} was computed in {count(len(computed))} run(s), and two are compared")
    return computed[-2], computed[-1]


def _runs_of(console: Console, events: Ints) -> list[int]:
    """The runs in which some events were computed."""
    opened, runs = console.opened, console.runs
    executions = np.unique(opened.columns.whole("execution")[events])
    numbers = opened.executions.number[runs.rows]
    found: list[int] = runs.numbers[np.isin(numbers, executions)].tolist()
    return found


def _event(console: Console, typed: TensorName, function: str, run: int) -> int:
    chosen = find_tensor(console.opened, typed, console.scope(str(run)), function)
    return int(chosen.events[choose_event(console.opened, chosen.events, None)])


def _elements(console: Console, row: SeenTensor, typed: TensorName) -> npt.NDArray[Any]:
    array = writable(console.opened.value(row.event))
    return take(array, parse_slice(typed.part)) if typed.part else array


def _statistics(runs: tuple[int, int], rows: list[SeenTensor]) -> Lines:
    heads = ("run", "type", "min", "max", "mean", "std", "zeros", "nan", "inf")
    table = []
    for run, row in zip(runs, rows, strict=True):
        health = row.health
        name = Span(str(run), "link", f"pt {word(row.tensor)} -e {row.event}")
        if health is None:
            table.append([name, Span(type_text(row)), *[Span("")] * 7])
            continue
        reals = [Span(short(each)) for each in (health.min, health.max, health.mean, health.std)]
        bad = health.neg_inf + health.pos_inf
        counts = [Span(count(health.zero)), Span(count(health.nan), "bad" if health.nan else ""),
                  Span(count(bad), "bad" if bad else "")]  # fmt: skip
        table.append([name, Span(type_text(row)), *reals, *counts])
    return table_lines(heads, table, right=(0, 2, 3, 4, 5, 6, 7, 8))


def _difference(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """B - A; of truth values and texts whether they differ."""
    if before.dtype.kind not in "iufc" or after.dtype.kind not in "iufc":
        return np.asarray(before != after)
    with np.errstate(all="ignore"):
        wide = np.result_type(before, after, np.int64 if before.dtype.kind in "iu" else before.dtype)
        return np.asarray(after.astype(wide) - before.astype(wide))


def _differing(before: npt.NDArray[Any], after: npt.NDArray[Any]) -> Iterator[Line]:
    """How many elements differ, and by how much."""
    differ = before != after
    if before.dtype.kind in "fc" and after.dtype.kind in "fc":
        differ &= ~(np.isnan(before) & np.isnan(after))
    number = int(differ.sum())
    if not number:
        yield (Span("All elements are the same.", "good"),)
        return
    share = f"{number / differ.size:.2%}"
    yield (Span(f"{count(number)} of {count(differ.size)} elements differ ({share})", "bold"),)
    difference = _difference(before, after)
    if difference.dtype.kind in "iufc" and difference.size:
        sizes = np.abs(difference)
        sizes = np.where(np.isfinite(sizes), sizes, -1)
        place = np.unravel_index(int(sizes.argmax()), sizes.shape)
        index = [int(each) for each in place]
        if sizes[place] >= 0:
            yield (Span(f"largest finite difference: {short(float(sizes[place]))} at {index}"),)
    yield (Span("B - A:", "heading"),)
