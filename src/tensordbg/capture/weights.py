"""Writes the variables of a capture under their own names, for a program to go on from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from tensordbg.capture.header import StoredVariable
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import write_tensors
from tensordbg.errors import UsageError

SUFFIXES = (".safetensors", ".npz")


def export_weights(capture: Capture, place: Path) -> list[str]:
    """Writes them into one file.

    Args:
        capture: Whose variables, as they were before the step.
        place: The file, whose suffix says the format: `.safetensors`, or `.npz` of NumPy.

    Returns:
        The names under which they are there; of several with one name the later ones have `_1`, `_2`... behind it.

    Raises:
        CaptureError: If the capture is damaged.
        UsageError: If the file is there already, can't be written, or its suffix is not known.
    """
    if place.suffix not in SUFFIXES:
        raise UsageError(f"{place}: weights are written as {' or '.join(SUFFIXES)}; give the file such a name")
    if place.exists():
        raise UsageError(f"{place}: is there already, and nothing is overwritten; choose another name")
    values = capture.variables()
    # A table of words is no weight, and NumPy's files have strings only as pickled objects.
    numbers = {i: value for i, value in values.items() if value.dtype.kind != "O"}
    weights = {name: numbers[i] for i, name in variable_names(capture.header.variables).items() if i in numbers}
    try:
        if place.suffix == ".npz":
            with place.open("xb") as file:
                np.savez(file, **dict[str, Any](weights))
        else:
            write_tensors(place, weights)
    except OSError as error:
        raise UsageError(f"{place}: can't be written ({error.strerror}); choose another place") from None
    return list(weights)


def variable_names(variables: Iterable[StoredVariable]) -> dict[int, str]:
    """A name for each variable, by the argument that is its handle.

    Of several with one name the later ones have `_1`, `_2`... behind it.
    """
    taken: Counter[str] = Counter()
    names = {}
    for each in variables:
        name = each.tensor.name
        names[each.argument] = f"{name}_{taken[name]}" if taken[name] else name
        taken[name] += 1
    return names
