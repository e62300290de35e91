"""Keeps the functions as they were before the probes came in, for whatever is exported or built from them.

TensorFlow copies a function into each graph that calls it, and from there into SavedModels. What is copied is the
original; only the runtime runs the one with probes. Where its operations were made is told as of the original too.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import Any

from tensordbg.backends.tensorflow import debug_info
from tensordbg.backends.tensorflow.internals import atomic_function


class OriginalFunctions:
    """The functions without probes, by runtime name, for as long as they exist."""

    def __init__(self) -> None:
        self._kept: dict[bytes, Any] = {}
        self._functions: weakref.WeakValueDictionary[bytes, Any] = weakref.WeakValueDictionary()
        self._prune_at = 256
        self._installed = False

    def install(self) -> None:
        """Gives out the originals from now on. It stays so: a model can be saved long after the recording."""
        if self._installed:
            return
        self._installed = True
        current = atomic_function.AtomicFunction._c_func.fget  # noqa: SLF001  described in internals.py

        def c_function(function: Any) -> Any:
            original = self._kept.get(function.name)
            return current(function) if original is None else original

        atomic_function.AtomicFunction._c_func = property(c_function)  # noqa: SLF001
        current_info = atomic_function.AtomicFunction.graph_debug_info.fget

        def graph_debug_info(function: Any) -> Any:
            message = current_info(function)
            if function.name in self._kept:
                # TensorFlow is about to tell of an error; whatever goes wrong here must not come in between.
                with contextlib.suppress(Exception):
                    debug_info.complete(message, function)
            return message

        atomic_function.AtomicFunction.graph_debug_info = property(graph_debug_info)

    def keep(self, function: Any) -> None:
        """Keeps a function as it is when it is first seen; its cached definition is the original's too."""
        if function.name in self._kept:
            return
        if len(self._kept) >= self._prune_at:
            self._prune()
        self._kept[function.name] = function._c_func  # noqa: SLF001
        self._functions[function.name] = function

    def function(self, name: bytes) -> Any:
        """The function with a runtime name, as Python holds it; None if it is not known or is gone."""
        return self._functions.get(name)

    def definition(self, name: bytes) -> Any:
        """The FunctionDef without probes of a function, by its runtime name; None if it is not known or is gone."""
        function = self._functions.get(name)
        return None if function is None else function.cached_definition

    def _prune(self) -> None:
        """Forgets the functions that no longer exist."""
        alive = {name for _, name in atomic_function.RUNTIME_FUNCTION_REFS}
        self._kept = {name: original for name, original in self._kept.items() if name in alive}
        self._prune_at = max(256, 2 * len(self._kept))
