"""Inputs of Python functions that graphs called and that raised.

Their errors leave the runtime as texts alone. Where a pipeline has several calls at a time, and several gave nothing,
what the function was given says which of them it was.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tensordbg.backends.tensorflow.failures.stated import dtype_name
from tensordbg.backends.tensorflow.methods import Method, ReplacedMethods
from tensordbg.model import StatedInput
from tensordbg.recording.recorder import Recorder
from tensordbg.trace.raw.small_elements import SMALL_BYTES, elements_text, end_of_text

_REGISTRY = "tensorflow.python.ops.script_ops"
"""Its `FuncRegistry` is what graphs call for all Python functions, with a token, a device and the inputs; since 2.0."""
_MOST = 64
"""So many of the last calls that raised are remembered; a program may catch their errors."""


class _Call(NamedTuple):
    """A call that raised."""

    words: str
    inputs: tuple[StatedInput, ...]


_RAISED: deque[_Call] = deque(maxlen=_MOST)


class PythonCalls:
    """The hook into the calls of Python functions by the runtime, for one recording."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._replaced = ReplacedMethods(recorder.guard)

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.install(Method(_REGISTRY, "FuncRegistry.__call__", self._noting))

    def uninstall(self) -> None:
        """Takes the hook out again."""
        self._replaced.uninstall()
        _RAISED.clear()

    def _noting(self, plain: Any) -> Any:
        def call(registry: Any, token: Any, device: Any, args: Any) -> Any:
            try:
                return plain(registry, token, device, args)
            except Exception as error:
                if self._recorder.active:
                    with self._recorder.guard("looking at what a Python function was given"):
                        words = f"{type(error).__name__}: {error}"
                        _RAISED.append(_Call(words, tuple(map(_input, args))))
                raise

        return call


def python_calls_of(message: str) -> Sequence[tuple[StatedInput, ...]]:
    """Returns the inputs of the calls whose error a message tells, each once."""
    return list(dict.fromkeys(each.inputs for each in list(_RAISED) if each.words in message))


def _input(value: Any) -> StatedInput:
    """One input, with its elements where it is small: eager tensors, arrays, and texts by themselves."""
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.dtype.kind in "OS":
        text = array.item() if array.size == 1 else None
        said = end_of_text(text, len(text)) if isinstance(text, bytes) else None
        return StatedInput("", "string", array.shape, said or "")
    elements = elements_text(array) if array.nbytes <= SMALL_BYTES else ""
    return StatedInput("", dtype_name(array.dtype), array.shape, elements)
