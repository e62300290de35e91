"""Changes to a step before it is replayed: the words of `--set` and `--clip`.

    set NAME=VALUE      NAME is an input, a variable or an operation of the graph; `NAME[I]` is its row I
    clip NORM           all gradients together to a Euclidean norm
    clip NAME:MIN:MAX   the elements of one tensor; either bound may be left out

VALUE is a number, a list of them as Python writes it, or the name of a file `.npy`; it is spread over the tensor.
"""

from __future__ import annotations

import ast
import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tensordbg.capture.tensors import Array
from tensordbg.errors import UsageError


@dataclass(frozen=True)
class SetTensor:
    """A tensor gets other elements."""

    name: str
    row: int | None
    """Which row gets them; None for the whole tensor."""
    value: Array

    def apply(self, array: Array) -> Array:
        """The tensor with its new elements.

        Raises:
            UsageError: If they do not fit.
        """
        if array.dtype.kind == "O":
            raise UsageError(f"{self.name} holds strings, but --set gives numbers; choose another input")
        changed = array.copy()
        try:
            changed[... if self.row is None else self.row] = self.value.astype(array.dtype)
        except (IndexError, ValueError) as error:
            shape = list(array.shape)
            raise UsageError(f"{self.name} has the shape {shape}, for which this does not fit: {error}") from None
        return changed


@dataclass(frozen=True)
class ClipTensor:
    """The elements of a tensor are kept between two bounds."""

    name: str
    low: float
    high: float

    def apply(self, array: Array) -> Array:
        """The tensor within the bounds; a NaN stays one.

        Raises:
            UsageError: If its elements are strings.
        """
        if array.dtype.kind == "O":
            raise UsageError(f"{self.name} holds strings, which have no bounds; leave --clip of it out")
        return np.clip(array, self.low, self.high).astype(array.dtype)


@dataclass(frozen=True)
class ClipGradients:
    """All gradients are scaled down together where their norm is larger."""

    norm: float


Change = SetTensor | ClipTensor | ClipGradients


def change_of(words: str) -> Change:
    """Reads one change; see above.

    Raises:
        UsageError: If it can't be read.
    """
    kind, _, said = words.partition(" ")
    return _set_of(said) if kind == "set" else _clip_of(said)


def _set_of(said: str) -> SetTensor:
    name, equals, value = said.partition("=")
    if not equals or not name:
        raise UsageError(f"{said!r} says nothing to set; write NAME=VALUE, such as x=0.5")
    row = re.fullmatch(r"(.+)\[(\d+)\]", name)
    return SetTensor(row[1] if row else name, int(row[2]) if row else None, _value_of(value))


def _value_of(text: str) -> Array:
    if text.endswith(".npy"):
        try:
            loaded: Array = np.load(Path(text), allow_pickle=False)
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{text}: no array can be read from it ({error}); give a file that numpy.save wrote"
            ) from None
        return loaded
    try:
        return np.asarray(float(text))
    except ValueError:
        pass
    try:
        value = np.asarray(ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        value = np.asarray("")
    if value.dtype.kind not in "biufc":
        raise UsageError(f"{text!r} is no value; give a number, a list of numbers such as [1, 0.5], or a file .npy")
    return value


def _clip_of(said: str) -> ClipTensor | ClipGradients:
    name, *bounds = said.rsplit(":", 2)
    try:
        if not bounds:
            norm = float(said)
            if norm > 0:
                return ClipGradients(norm)
        elif len(bounds) == 2:
            low, high = float(bounds[0] or -math.inf), float(bounds[1] or math.inf)
            if low <= high:
                return ClipTensor(name, low, high)
    except ValueError:
        pass
    raise UsageError(f"{said!r} says nothing to clip; give a norm above 0, or NAME:MIN:MAX with MIN up to MAX")
