"""Writes the variables of a capture under their own names, for a program to go on from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array, write_tensors
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
    weights = _named(capture)
    try:
        if place.suffix == ".npz":
            with place.open("xb") as file:
                np.savez(file, **dict[str, Any](weights))
        else:
            write_tensors(place, weights)
    except OSError as error:
        raise UsageError(f"{place}: can't be written ({error.strerror}); choose another place") from None
    return list(weights)


def _named(capture: Capture) -> dict[str, Array]:
    values = capture.variables()
    taken: Counter[str] = Counter()
    weights = {}
    for variable in capture.header.variables:
        if variable.argument in values:
            name = variable.tensor.name
            taken[name] += 1
            weights[name if taken[name] == 1 else f"{name}_{taken[name] - 1}"] = values[variable.argument]
    return weights
