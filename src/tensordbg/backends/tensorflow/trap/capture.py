"""TensorFlow's part of a capture: the function, its variables, versions, seeds, and where a batch came from."""

from __future__ import annotations

import contextlib
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow.handles import read_handle
from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.trap.rows import library_of, rows_of
from tensordbg.capture.tensors import Array
from tensordbg.capture.writer import FUNCTION_FILE
from tensordbg.trapping.capture import Surroundings, TrappedFunction


def reading(handles: Mapping[int, weakref.ref[Any]]) -> Callable[[int], Array | None]:
    """Gives what reads the variables of a function, by number; these are their handles."""

    def read(number: int) -> Array | None:
        kept = handles.get(number)
        handle = None if kept is None else kept()
        value = None if handle is None else read_handle(handle)
        return None if value is None else np.array(value)

    return read


def surroundings(trapped: TrappedFunction, plain: Callable[[str], Any]) -> Surroundings:
    """Describes what a step ran in; `plain` gives the definition of a function without what we added."""
    import tensorflow as tf  # imported by the program already

    keras = sys.modules.get("keras")
    library = library_of(trapped.function.runtime_name, plain)
    return Surroundings(
        frameworks={"tensorflow": tf.__version__, **({"keras": keras.__version__} if keras else {})},
        seeds=_seeds(),
        origins=origins_of_batch,
        files={**rows_of(trapped.function), FUNCTION_FILE: library},
        tables=trapped.tables(library),
    )


def origins_of_batch(arrays: Sequence[Array | None]) -> tuple[str, ...]:
    """Where the rows of a batch came from, if the program traces an input pipeline."""
    noted = sys.modules.get("tensordbg.backends.tensorflow.data_origins.notes")
    # A capture without them is better than none.
    with contextlib.suppress(Exception):
        return () if noted is None else tuple(noted.origins_of([each for each in arrays if each is not None]))
    return ()


def _seeds() -> dict[str, int]:
    """The seeds that the program has set."""
    keras: Any = sys.modules.get("keras.src.utils.rng_utils")
    found = {
        "tensorflow": context.global_seed(),
        "keras": keras.get_random_seed() if hasattr(keras, "get_random_seed") else None,
    }
    return {name: seed for name, seed in found.items() if isinstance(seed, int)}
