"""Tensors that functions and loops were given whose tracing failed: what stands outside for each placeholder.

A graph that was not finished does not know its caller. The frames do in which it was traced, and TensorFlow takes
them off the traceback; so it is noted on the exception as they go.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Any

from tensordbg.backends.tensorflow.internals import traced_inputs

_NOTE = "_tensordbg_outside_values"
_MOST_CAUSES = 100

Outside = Mapping[tuple[int, str], Any]
"""What was given, by the identity of the graph and the name of the placeholder."""


def note_outside_values(error: BaseException, trace: TracebackType | None) -> None:
    """Notes on an exception what the frames of a traceback tell of it."""
    found = _outside_in(trace)
    if found and hasattr(error, "__dict__"):
        setattr(error, _NOTE, {**getattr(error, _NOTE, {}), **found})


def outside_values(error: BaseException) -> Outside:
    """All that is known of an exception and of those that it was raised for."""
    found: dict[tuple[int, str], Any] = {}
    following: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if following is None:
            break
        found |= _outside_in(following.__traceback__) | getattr(following, _NOTE, {})
        following = following.__cause__ or following.__context__
    return found


def _outside_in(trace: TracebackType | None) -> dict[tuple[int, str], Any]:
    import tensorflow as tf  # imported by the program already

    found: dict[tuple[int, str], Any] = {}
    given: Any = None
    for frame, _ in traceback.walk_tb(trace):
        told = traced_inputs(frame)
        if told is not None and not hasattr(told, "inputs"):
            given = [told.args, told.kwargs] if hasattr(told, "args") else told
        elif told is not None and given is not None:
            flat = [each for each in tf.nest.flatten(given, expand_composites=True) if hasattr(each, "dtype")]
            found.update(_pairs(told, flat))
            given = None
    return found


def _pairs(graph: Any, flat: list[Any]) -> Iterator[tuple[tuple[int, str], Any]]:
    """The placeholders of a graph with what was given for them, where there are as many and each is of that type."""
    captured = {inner.name for _, inner in getattr(graph, "captures", ())}  # they stand among its inputs already
    inputs = [each for each in getattr(graph, "inputs", None) or () if each.name not in captured]
    if len(inputs) != len(flat):
        return
    for inner, outer in zip(inputs, flat, strict=True):
        if inner.dtype == outer.dtype:
            yield (id(graph), str(inner.name)), outer
