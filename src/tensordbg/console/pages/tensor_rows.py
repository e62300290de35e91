"""Lines of a list of tensors, made as they are looked at: a list of ten million has its lines at once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.view.records.rows import EventRows
from tensordbg.analysis.view.records.sites import NamedEvents
from tensordbg.console.pages.page import Line, Span, Style
from tensordbg.console.pages.texts import byte_size, milliseconds, word
from tensordbg.model import NONE
from tensordbg.report.listing import iteration_text, type_text
from tensordbg.report.numbers import ABSENT, count, count_or_blank, short

if TYPE_CHECKING:
    from tensordbg.analysis.view.records.rows import SeenTensor

_WIDEST_NAME = 60
_FEW = 100_000
LONG = 200_000
"""A list of more tensors is searched by their types and names only, as it would take too long to make all lines."""
_TIME, _SIZE, _NUMBER, _COUNT, _STEP, _ITERATION = 12, 11, 11, 9, 7, 9

_SORTED = (
    ("t (ms)", _TIME, "timestamp"), ("size (B)", _SIZE, "dump_size"), ("op type", 0, "op_type"),
    ("tensor name", 0, "tensor_name"), ("nan", _COUNT, "nan"), ("inf", _COUNT, "inf"), ("zeros", _COUNT, "zero"),
    ("min", _NUMBER, "min"), ("max", _NUMBER, "max"),
)  # fmt: skip
"""The columns before the type: heading, width where it does not depend on names, and what sorts by them."""


class ListedTensors(NamedEvents, EventRows, Protocol):
    """A trace whose tensors are listed."""


@dataclass(frozen=True)
class TensorRows:
    """The tensors with some numbers, in that order."""

    opened: ListedTensors
    events: Ints
    steps: bool
    """Whether the step of each is shown, and the iteration of its loop."""

    def __len__(self) -> int:
        return len(self.events)

    def part(self, begin: int, end: int) -> Sequence[Line]:
        """See `Lines`."""
        return [self._line(row) for row in self.opened.rows(self.events[begin:end])]

    def head(self, command: str) -> Line:
        """The headings; each sorts the list by its column.

        Args:
            command: What made the list, without an order.
        """
        spans = [self._step_head] if self.steps else []
        for text, width, key in _SORTED:
            fits = f"{text:<{self._widths[text]}}" if text in self._widths else f"{text:>{width}}"
            spans += [Span(fits, "heading", f"{command} -s {key}"), Span("  ")]
        return (*spans, Span("type", "heading"))

    @property
    def _step_head(self) -> Span:
        return Span(f"{'step':>{_STEP}} {'iteration':>{_ITERATION}}  ", "heading")

    @cached_property
    def _widths(self) -> dict[str, int]:
        """Of the columns of names."""
        named = np.bincount(self.opened.columns.whole("site")[self.events], minlength=self.opened.site_limit)
        names = [self.opened.site(number).site for number in np.flatnonzero(named).tolist()]
        widest = max((len(each.name) for each in names), default=0) + 2
        types = max((len(each.op_type) for each in names), default=0)
        return {"op type": max(types, 7), "tensor name": max(min(widest, _WIDEST_NAME), 11)}

    @cached_property
    def _begin_ns(self) -> int:
        """When the first of them was recorded."""
        return self.opened.rows([int(self.events.min())])[0].time_ns

    @cached_property
    def _named_once(self) -> frozenset[str]:
        """Tensors whose name says which is meant."""
        if self.steps or len(self.events) > _FEW:
            return frozenset()
        sites = self.opened.columns.whole("site")[self.events].tolist()
        slots = self.opened.columns.whole("slot")[self.events].tolist()
        counts = Counter(f"{self.opened.site(site).site.name}:{slot}" for site, slot in zip(sites, slots, strict=True))
        return frozenset(name for name, number in counts.items() if number == 1)

    def _line(self, row: SeenTensor) -> Line:
        health = row.health
        size = byte_size(row.dtype, health.size if health is not None else _product(row.shape))
        bad: Style = "bad" if health is not None and health.non_finite else ""
        spans = [Span(f"{_step(row):>{_STEP}} {iteration_text(row):>{_ITERATION}}  ")] if self.steps else []
        spans += [
            Span(f"{f'[{milliseconds(row.time_ns - self._begin_ns)}]':>{_TIME}}  ", "dim"),
            Span(f"{ABSENT if size is None else count(size):>{_SIZE}}  "),
            Span(f"{row.op_type:<{self._widths['op type']}}", "link", f"ni {word(row.op_name)}"),
            Span("  "),
            Span(row.tensor, bad or "link", self.command(row)),
            Span(" " * max(self._widths["tensor name"] - len(row.tensor), 0) + "  "),
        ]
        if health is None:
            spans.append(Span(" " * (2 * (_NUMBER + 2) + 3 * (_COUNT + 2))))
        else:
            infinite = health.neg_inf + health.pos_inf
            spans += [
                Span(f"{count_or_blank(health.nan):>{_COUNT}}  {count_or_blank(infinite):>{_COUNT}}  ", bad),
                Span(f"{count_or_blank(health.zero):>{_COUNT}}  "),
                Span(f"{short(health.min):>{_NUMBER}}  {short(health.max):>{_NUMBER}}  "),
            ]
        return (*spans, Span(type_text(row), "dim"))

    def find(self, pattern: re.Pattern[str], begin: int) -> int | None:
        """The first row from one on whose type and name a pattern fits somewhere; no row has to be made for it."""
        columns = self.opened.columns
        events = self.events[begin:]
        most = int(columns.whole("slot").max(initial=0)) + 1
        pair = columns.whole("site")[events].astype(np.int64) * most + columns.whole("slot")[events]
        known = np.flatnonzero(np.bincount(pair, minlength=1)).tolist()
        fits = np.zeros(max(known, default=0) + 1, dtype=np.bool_)
        for each in known:
            site = self.opened.site(each // most).site
            text = f"{site.op_type:<{self._widths['op type']}}  {site.name}:{each % most}"
            fits[each] = pattern.search(text) is not None
        found = np.flatnonzero(fits[pair])
        return begin + int(found[0]) if len(found) else None

    def command(self, row: SeenTensor) -> str:
        """The command that shows one of them."""
        if row.tensor in self._named_once:
            return f"pt {word(row.tensor)}"
        return f"pt {word(row.tensor)} -e {row.event}"


def _step(row: SeenTensor) -> str:
    return ABSENT if row.step == NONE else str(row.step)


def _product(shape: tuple[int, ...] | None) -> int | None:
    if shape is None:
        return None
    product = 1
    for extent in shape:
        product *= extent
    return product
