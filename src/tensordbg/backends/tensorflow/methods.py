"""Replaces methods of TensorFlow and Keras for a while, also of modules that the program imports only later."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.recording.imports import ImportWatch

KERAS_OPTIMIZERS = "keras.src.optimizers.base_optimizer"
KERAS_LOSS_SCALE = "keras.src.optimizers.loss_scale_optimizer"
KERAS_CALLBACKS = "keras.src.callbacks.callback_list"
"""Where Keras 3 defines what is replaced."""


@dataclass(frozen=True)
class Method:
    """A method that is to be replaced."""

    module: str
    place: str
    """`Class.method`."""
    make: Callable[[Any], Any]
    """Makes what takes its place of the plain one."""


class ReplacedMethods:
    """The methods that somebody has replaced."""

    def __init__(self, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        """`guard` runs code of ours inside the program."""
        self._guard = guard
        self._undo: list[Callable[[], None]] = []
        self._watch: ImportWatch | None = None

    def install(self, *methods: Method) -> None:
        """Replaces them, each as soon as its module is there."""
        modules = dict.fromkeys(method.module for method in methods)
        self._watch = ImportWatch(
            {name: lambda name=name: self._replace_of(name, methods) for name in modules}  # type: ignore[misc]
        )
        self._watch.start()

    def uninstall(self) -> None:
        """Puts the plain ones back."""
        if self._watch is not None:
            self._watch.stop()
            self._watch = None
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()

    def _replace_of(self, module: str, methods: tuple[Method, ...]) -> None:
        for method in methods:
            if method.module == module:
                with self._guard(f"looking on at {method.place}"):
                    self._replace(method)

    def _replace(self, method: Method) -> None:
        owner, _, name = method.place.partition(".")
        kind = getattr(sys.modules[method.module], owner)
        plain = getattr(kind, name)
        hook = method.make(plain)
        hook.__name__, hook.__doc__, hook.__wrapped__ = plain.__name__, plain.__doc__, plain
        setattr(kind, name, unseen(hook))
        self._undo.append(lambda: setattr(kind, name, plain))
