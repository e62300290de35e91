"""Records every computation of the list in one way of running: `python -m tests.conformance.program WAY FOLDER`."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tensordbg
from tests.conformance.computation import ALL, Computation

WAYS = {
    "tensorflow": "tests.conformance.in_tensorflow",
    "tensorflow-function": "tests.conformance.in_tensorflow",
    "torch": "tests.conformance.in_torch",
    "torch-uncompiled": "tests.conformance.in_torch",
}
"""The ways of running, with the module of their words."""

POISONED = "poisoned"


def poisoned(computation: Computation) -> tuple[Any, ...] | None:
    """What it is given, the first of it NaN throughout; None where that says nothing of the data flow."""
    first = computation.given[0]
    if computation.cause or not computation.takes_nan or first.dtype != np.float32 or not first.size:
        return None
    given = (np.full_like(first, np.nan), *computation.given[1:])
    result = computation.reference(given)
    return given if result.dtype.kind in "fcV" and np.isnan(result.astype(complex)).any() else None


def _compute(words: Any, way: str, computation: Computation, given: tuple[Any, ...]) -> Any:
    made = [words.variable(each) for each in given[: computation.variables]]
    made += [words.tensor(each) for each in given[computation.variables :]]
    if computation.dtype:
        made[0] = words.cast(made[0], computation.dtype)
    if way.endswith("-function"):
        import tensorflow as tf

        return tf.function(computation.compute)(words, *made)
    return computation.compute(words, *made)


def main() -> None:
    """Records each with a trace of its own, and keeps what came out."""
    way, folder = sys.argv[1], Path(sys.argv[2])
    words = importlib.import_module(WAYS[way])
    if way.endswith("-uncompiled"):  # without a compiler, an observer in Python takes its place
        os.environ.update(CXX="no-compiler-here", XDG_CACHE_HOME=str(folder / "cache"))
    for computation in ALL:
        if way in computation.cannot:
            continue
        for name, given in (
            (computation.name, computation.given),
            (computation.name + POISONED, poisoned(computation)),
        ):
            if given is None:
                continue
            with tensordbg.record(folder / name):
                result = _compute(words, way, computation, given)
                kept = words.array(result)
            np.save(folder / f"{name}.npy", kept.astype(np.float32) if kept.dtype.kind == "V" else kept)


if __name__ == "__main__":
    importlib.import_module("tests.conformance.computations")
    main()
