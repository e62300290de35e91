"""Ranges of numbers, such as `[-inf, 0]`, `(0, 1]` or `nan`, and which elements of an array lie in them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.errors import UsageError

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]

_FORM = re.compile(r"([\[(])\s*([^,\s]+)\s*,\s*([^,\s]+)\s*([\])])")


@dataclass(frozen=True)
class Interval:
    """All numbers between two, with the ends or without; or the NaNs."""

    text: str
    """As it was asked for."""
    low: float
    high: float
    with_low: bool
    with_high: bool

    def mask(self, array: Array) -> Mask:
        """Which elements lie in it; of complex ones the modulus counts.

        Raises:
            UsageError: If they are strings.
        """
        if array.dtype.kind in "OSU":
            raise UsageError(f"the range {self.text!r} is for numbers, and these elements are strings; leave it out")
        numbers = np.abs(array) if array.dtype.kind == "c" else array
        if numbers.dtype.kind not in "biuf":
            # bfloat16 and its like.
            numbers = numbers.astype(np.float32)
        if np.isnan(self.low):
            return np.asarray(np.isnan(numbers))
        above = numbers >= self.low if self.with_low else numbers > self.low
        below = numbers <= self.high if self.with_high else numbers < self.high
        return np.asarray(above & below)


def parse_interval(text: str) -> Interval:
    """Reads a range; a square bracket counts its end in, a round one does not.

    Raises:
        UsageError: If it is none.
    """
    if text.strip().lower() in {"nan", "[nan, nan]"}:
        return Interval(text, np.nan, np.nan, with_low=True, with_high=True)
    match = _FORM.fullmatch(text.strip())
    ends = [_number(match[group]) for group in (2, 3)] if match else []
    if match is None or None in ends or not ends[0] <= ends[1]:  # type: ignore[operator]
        raise UsageError(
            f"{text!r} is no range; write the smaller end first, such as '[-inf, 0]' or '(0, 1]', or 'nan'"
        )
    low, high = (float(end) for end in ends if end is not None)
    return Interval(text, low, high, match[1] == "[", match[4] == "]")


def inside(array: Array, intervals: Iterable[Interval]) -> Mask:
    """Which elements lie in any of the ranges.

    Raises:
        UsageError: If they are strings.
    """
    found = np.zeros(array.shape, dtype=np.bool_)
    for interval in intervals:
        found |= interval.mask(array)
    return found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
