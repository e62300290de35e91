"""Ranges of numbers in a search: `3`, `3..`, `..7`, `3..9`, `<0`, `>=1e3`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools
from tensordbg.errors import UsageError

_COMPARED = re.compile(r"(<=|>=|<|>|=)(.+)")
_RANGE = re.compile(r"(.*?)\.\.(.*)")


@dataclass(frozen=True)
class Bounds:
    """A range of numbers, its ends included unless they are said not to be."""

    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    """Whether `low` itself is left out."""
    below: bool = False
    """Whether `high` itself is left out."""

    def hold(self, numbers: npt.NDArray[Any]) -> Bools:
        """Which numbers lie in it; a NaN lies in none."""
        result: Bools = np.ones(len(numbers), dtype=np.bool_)
        if self.low != -math.inf or self.above:
            result &= numbers > self.low if self.above else numbers >= self.low
        if self.high != math.inf or self.below:
            result &= numbers < self.high if self.below else numbers <= self.high
        if numbers.dtype.kind == "f":
            result &= ~np.isnan(numbers)
        return result


def parse_bounds(key: str, text: str) -> Bounds:
    """Reads a range of numbers.

    Raises:
        UsageError: If it is none.
    """
    return _parse(key, text, "min:<0, max:>1e3 or mean:0..1", _real)


def parse_whole_bounds(key: str, text: str) -> Bounds:
    """Reads a range of whole numbers.

    Raises:
        UsageError: If it is none.
    """
    return _parse(key, text, f"{key}:3, {key}:3.., {key}:..7 or {key}:>3", _whole)


def _parse(key: str, text: str, examples: str, number: Any) -> Bounds:
    try:
        if compared := _COMPARED.fullmatch(text):
            return _compared(compared[1], number(compared[2]))
        if parts := _RANGE.fullmatch(text):
            low = number(parts[1]) if parts[1] else -math.inf
            high = number(parts[2]) if parts[2] else math.inf
            bounds = Bounds(low, high)
        else:
            bounds = Bounds(number(text), number(text))
    except ValueError:
        raise UsageError(f"{text!r} is no range for {key!r}; write {examples}") from None
    if bounds.low > bounds.high:
        raise UsageError(f"the range {text!r} of {key!r} ends before it begins; give the smaller number first")
    return bounds


def _compared(sign: str, number: float) -> Bounds:
    if sign == "=":
        return Bounds(number, number)
    if sign.startswith("<"):
        return Bounds(high=number, below=sign == "<")
    return Bounds(low=number, above=sign == ">")


def _whole(text: str) -> float:
    number = int(text.replace("_", "x"))
    if abs(number) >= 2**63:
        raise ValueError(text)
    return number


def _real(text: str) -> float:
    number = float(text.replace("_", "x"))
    if math.isnan(number):
        raise ValueError(text)
    return number
