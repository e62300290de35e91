"""Keeps the functions as they were before the probes came in, for whatever is exported or built from them.

TensorFlow copies a function into each graph that calls it, and from there into SavedModels. What is copied is the
original; only the runtime runs the one with probes. Where its operations were made is told as of the original too.
"""

from __future__ import annotations

import contextlib
import weakref
from typing import Any

from tensordbg.backends.tensorflow.functions import debug_info
from tensordbg.backends.tensorflow.internals import atomic_function


class OriginalFunctions:
    """The functions without probes, by runtime name, for as long as they exist."""

    def __init__(self) -> None:
        self._kept: dict[bytes, Any] = {}
        self._functions: weakref.WeakValueDictionary[bytes, Any] = weakref.WeakValueDictionary()
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
        self._forget_with_the_last()

    def _forget_with_the_last(self) -> None:
        """Has the original go when the last Python function does that stands for a name in the runtime."""
        gone = atomic_function.AtomicFunction.__del__

        def delete(function: Any) -> None:
            gone(function)
            # At the end of the program modules are emptied, ours too, and nobody needs it any more.
            references = getattr(atomic_function, "RUNTIME_FUNCTION_REFS", None)
            if references is not None and (function._bound_context.function_scope_id, function.name) not in references:  # noqa: SLF001
                self._kept.pop(function.name, None)

        atomic_function.AtomicFunction.__del__ = delete

    def keep(self, function: Any) -> None:
        """Keeps a function as it is when it is first seen; its cached definition is the original's too."""
        if function.name in self._kept:
            return
        self._kept[function.name] = function._c_func  # noqa: SLF001
        self._functions[function.name] = function

    def function(self, name: bytes) -> Any:
        """The function with a runtime name, as Python holds it; None if it is not known or is gone."""
        return self._functions.get(name)

    def definition(self, name: bytes) -> Any:
        """The FunctionDef without probes of a function, by its runtime name; None if it is not known or is gone."""
        function = self._functions.get(name)
        return None if function is None else function.cached_definition
