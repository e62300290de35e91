"""Replaces methods of TensorFlow and Keras for a while, also of modules that the program imports only later."""

from __future__ import annotations

import contextlib
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


@dataclass(frozen=True, eq=False)
class _Hook:
    """What one of ours puts around a method; each is itself alone, though two may be made alike."""

    make: Callable[[Any], Any]


class _Replaced:
    """A method as it was, and all hooks around it: they may be taken out in any order."""

    def __init__(self, kind: Any, name: str) -> None:
        self._kind, self._name = kind, name
        self._plain = getattr(kind, name)
        self._inherited = name not in vars(kind)
        self._hooks: list[_Hook] = []

    def add(self, hook: _Hook) -> None:
        self._set([*self._hooks, hook])

    def remove(self, hook: _Hook) -> bool:
        """Takes a hook out; whether none is left."""
        self._set([each for each in self._hooks if each is not hook])
        return not self._hooks

    def _set(self, hooks: list[_Hook]) -> None:
        method = self._plain
        for each in hooks:
            below = method
            made = each.make(below)
            with contextlib.suppress(AttributeError, TypeError):
                made.__name__, made.__doc__, made.__wrapped__ = self._plain.__name__, self._plain.__doc__, below
            method = unseen(made)
        if hooks or not self._inherited:
            setattr(self._kind, self._name, method)
        elif self._name in vars(self._kind):
            delattr(self._kind, self._name)
        self._hooks = hooks


_REPLACED: dict[tuple[Any, str], _Replaced] = {}
"""All that is replaced in this process: a trap and a debugger may look at one method, and end in any order."""


def _replace(owner: Any, name: str, make: Callable[[Any], Any]) -> Callable[[], None]:
    """Puts a hook around an attribute; returns what takes it out again."""
    replaced = _REPLACED.get((owner, name)) or _Replaced(owner, name)
    hook = _Hook(make)
    replaced.add(hook)
    _REPLACED[owner, name] = replaced

    def undo() -> None:
        if replaced.remove(hook):
            del _REPLACED[owner, name]

    return undo


class ReplacedAttributes:
    """Functions of modules, and methods, that are replaced from when a hook begins until it ends, in any order."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []

    def __bool__(self) -> bool:
        """Whether any are replaced."""
        return bool(self._undo)

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Puts what is made of the plain one in its place."""
        self._undo.append(_replace(owner, name, make))

    def restore(self) -> None:
        """Puts the plain ones back."""
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()


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
        self._undo.append(_replace(kind, name, method.make))
