"""How the elements of one array are written: all of the same width, with no more digits than any of them needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_MOST_DIGITS = 8
_LARGE, _SMALL = 1e8, 1e-4
"""As NumPy: beyond these numbers are written with an exponent."""


@dataclass(frozen=True)
class ElementFormat:
    """Writes elements."""

    template: str
    """For a finite number, as `format` takes it."""
    width: int

    def text(self, element: Any) -> str:
        """One element, as wide as all others."""
        if isinstance(element, complex):
            real, imaginary = (self._part(part) for part in (element.real, element.imag))
            written = f"{real}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
        elif isinstance(element, float):
            written = self._part(element)
        else:
            written = repr(element) if isinstance(element, str | bytes) else str(element)
        return written.rjust(self.width)

    def _part(self, number: float) -> str:
        return format(number, self.template) if np.isfinite(number) else str(number)


def format_of(array: Array, digits: int | None = None) -> ElementFormat:
    """The format for an array of numbers, truth values or texts.

    Args:
        array: Of any shape.
        digits: So many behind the point; by default as many as are needed, up to 8.
    """
    kind = array.dtype.kind
    if not array.size:
        return ElementFormat("", 0)
    if kind in "iu":
        return ElementFormat("", max(len(str(array.min())), len(str(array.max()))))
    if kind == "b":
        return ElementFormat("", 4 if array.all() else 5)
    if kind == "f":
        return _of_reals(array, digits)
    if kind == "c":
        template = f".{_MOST_DIGITS if digits is None else digits}g"
        shown = [ElementFormat(template, 0).text(each) for each in _ends(array)]
        return ElementFormat(template, max(map(len, shown)))
    return ElementFormat("", 0)


def _ends(array: Array) -> list[Any]:
    flat = array.reshape(-1)
    ends: list[Any] = [*flat[:100].tolist(), *flat[-100:].tolist()]
    return ends


def _of_reals(array: Array, digits: int | None) -> ElementFormat:
    finite = array[np.isfinite(array)]
    other = 4 if np.isneginf(array).any() else 3 if finite.size < array.size else 0
    if not finite.size:
        return ElementFormat("", other)
    sizes = np.abs(finite[finite != 0]).astype(np.float64)
    largest, smallest = (float(sizes.max()), float(sizes.min())) if sizes.size else (0.0, 0.0)
    if largest >= _LARGE or 0 < smallest < _SMALL:
        template = f".{_MOST_DIGITS if digits is None else digits}e"
    else:
        template = f"#.{_digits_behind(finite) if digits is None else digits}f"
    low, high = float(finite.min()), float(finite.max())
    # The smallest may have the longest exponent, and be negative.
    ends = (low, high, math.copysign(smallest, low))
    return ElementFormat(template, max(other, *(len(format(end, template)) for end in ends)))


def _digits_behind(finite: Array) -> int:
    """How many digits behind the point tell all numbers, as exactly as their dtype does."""
    for digits in range(_MOST_DIGITS):
        if np.array_equal(np.round(finite, digits), finite):
            return digits
    return _MOST_DIGITS
