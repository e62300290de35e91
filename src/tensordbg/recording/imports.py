"""Calls back once a framework has been imported, so that recording can begin before the program uses it.

A program is recorded without a change to it, and a framework that it never imports is never imported by us.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType


class _Loader(importlib.abc.Loader):
    """Runs the module's own loader, then the callback."""

    def __init__(self, loader: importlib.abc.Loader, done: Callable[[], None]) -> None:
        self._loader = loader
        self._done = done

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        # The module must end up with its own loader: packages ask it for resources.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._done()


class ImportWatch(importlib.abc.MetaPathFinder):
    """Watches for the first import of each of `callbacks`' modules."""

    def __init__(self, callbacks: dict[str, Callable[[], None]]) -> None:
        self._callbacks = dict(callbacks)

    def start(self) -> None:
        """Calls back at once for what is imported already, and puts the rest under watch."""
        for name in [name for name in self._callbacks if name in sys.modules]:
            self._callbacks.pop(name)()
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Watches no more."""
        # Python takes the list away when it ends.
        if self in (sys.meta_path or ()):
            sys.meta_path.remove(self)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002  given by the import system
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """Finds what is watched for, with the callback added; leaves all else to the other finders."""
        callback = self._callbacks.pop(fullname, None)
        if callback is None:
            return None
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            # It may be looked for without being imported then.
            self._callbacks[fullname] = callback
        if spec is None or spec.loader is None:
            return None
        spec.loader = _Loader(spec.loader, lambda: self._imported(fullname))
        return spec

    def _imported(self, name: str) -> None:
        callback = self._callbacks.pop(name, None)
        if callback is not None:
            callback()
