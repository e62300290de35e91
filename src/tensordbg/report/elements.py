"""The text of `tdbg show --values`: the elements of one event, as NumPy prints them, some of them highlighted."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.text import Text

from tensordbg.analysis.names.listing import ListedTensor
from tensordbg.analysis.tensors.intervals import Interval, inside
from tensordbg.report.listing import iteration_text, type_text
from tensordbg.report.numbers import count

Array = npt.NDArray[Any]

MARKED = "bold reverse"
"""The style of elements in a range."""

_ELEMENT = re.compile(r"[^\s\[\]]+")
_GAP = "..."


@dataclass(frozen=True)
class Look:
    """How elements are printed; what is not said is as NumPy's own print options have it."""

    options: dict[str, Any] = field(default_factory=dict)
    """For `numpy.array2string`, such as `precision`."""
    intervals: tuple[Interval, ...] = ()
    """Elements in these are highlighted and counted."""


def all_elements(options: dict[str, Any]) -> dict[str, Any]:
    """Print options that leave nothing out."""
    return {**options, "threshold": sys.maxsize}


def elements_text(point: ListedTensor, array: Array, look: Look) -> Text:
    """Heading, count of what lies in the ranges, and the elements."""
    plain = array if array.dtype.kind in "biufcO" else array.astype(np.float32)
    text = Text.assemble((_heading(point), "bold"), "\n")
    if look.intervals:
        found = inside(plain, look.intervals)
        ranges = " or ".join(interval.text for interval in look.intervals)
        text.append(f"{count(int(found.sum()))} of {count(found.size)} elements in {ranges}\n", style="dim")
    text.append(_printed(plain, look))
    text.no_wrap, text.overflow = True, "ignore"
    return text


def value_text(point: ListedTensor, value: str) -> Text:
    """Heading and a value that is written already, such as a ragged tensor."""
    text = Text.assemble((_heading(point), "bold"), "\n", value)
    text.no_wrap, text.overflow = True, "ignore"
    return text


def _heading(point: ListedTensor) -> str:
    iteration = iteration_text(point)
    return f"step {point.step}{f', iteration {iteration}' if iteration else ''}  {point.tensor}  {type_text(point)}"


def _printed(array: Array, look: Look) -> Text:
    text = Text(np.array2string(array, **look.options))
    # A complex number is printed in two words.
    if look.intervals and array.dtype.kind != "c":
        words = [match for match in _ELEMENT.finditer(text.plain) if match[0] != _GAP]
        marked = _shown(inside(array, look.intervals), look.options).ravel()
        if len(words) == len(marked):
            for word, mark in zip(words, marked, strict=True):
                if mark:
                    text.stylize(MARKED, *word.span())
    return text


def _shown(mask: Array, options: dict[str, Any]) -> Array:
    """The part of an array that NumPy prints: of a large one, a few elements at each end of each axis."""
    known = {**np.get_printoptions(), **options}
    if mask.size <= known["threshold"]:
        return mask
    edge = known["edgeitems"]
    for axis, extent in enumerate(mask.shape):
        if extent > 2 * edge:
            mask = np.take(mask, [*range(edge), *range(extent - edge, extent)], axis=axis)
    return mask
