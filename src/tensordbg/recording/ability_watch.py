"""Starts in each framework what was asked for, once the program has imported it; ends a program that can't have it.

A program of a framework that can't do it must not run for hours and then be found to have run in vain. But another
framework may be imported too, by a library or by the program itself, and must not get into the way: so the program is
ended at an import only where its own source files import that framework and none with which it works.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Generic, TypeVar

from tensordbg.errors import TensordbgError
from tensordbg.recording.backend import Backend, Unsupported, backends
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.launch import LaunchedProgram
from tensordbg.recording.own_imports import own_imports
from tensordbg.recording.saying import say
from tensordbg.recording.support import Ability

Role = TypeVar("Role")

REFUSED = 2
"""The exit code of a program that was not given what was asked for."""


class RefusedError(SystemExit):
    """Ends a program of a framework that can't do what was asked for."""

    def __init__(self) -> None:
        super().__init__(REFUSED)


class AbilityWatch(Generic[Role]):
    """Watches a program's imports; a `with` block around its run tells at the end where nothing could be started."""

    def __init__(self, ability: Ability[Role], program: LaunchedProgram, start: Callable[[Role], None]) -> None:
        """Prepares; the `with` block begins it.

        Args:
            ability: What was asked for.
            program: The program that is about to run.
            start: Called with the role of each framework that can do it.
        """
        self._ability = ability
        self._program = program
        self._start = start
        self._missing: list[str] = []
        self.told = False
        """Whether it was said that a framework can't do it."""
        self.started = False
        """Whether any framework does it."""
        self._watch = ImportWatch({each.framework: partial(self._imported, each) for each in backends()})

    def __enter__(self) -> AbilityWatch[Role]:
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.started or not self._missing or not _ended_well(error):
            return
        if not self.told:
            self.told = True
            say(f"error: {self._missing[0]}")
        raise RefusedError from None

    def _imported(self, backend: Backend) -> None:
        role = self._ability.of(backend)
        if not isinstance(role, Unsupported):
            self.started = True
            try:
                self._start(role)
            except TensordbgError as error:
                self.told = True
                say(f"error: {error}")
                raise RefusedError from error
            return
        self._missing.append(self._ability.refusal(backend, role))
        self._refuse(backend)

    def _refuse(self, backend: Backend) -> None:
        """Ends the program, warns, or waits for another framework, as far as it is known whose program it is."""
        able = [each for each, _ in self._ability.offers()]
        used = own_imports(self._program)
        is_its_own = not used.isdisjoint(backend.modules)
        others = any(each.framework in sys.modules or not used.isdisjoint(each.modules) for each in able)
        if is_its_own and not others:
            self.told = True
            say(f"error: {self._missing[-1]}")
            raise RefusedError
        if is_its_own or not others:
            self.told = True
            say(f"warning: {self._missing[-1]}")


def _ended_well(error: BaseException | None) -> bool:
    return error is None or (isinstance(error, SystemExit) and error.code in {0, None})
