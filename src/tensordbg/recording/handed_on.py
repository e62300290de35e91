"""How a program is watched, handed on to the processes that it starts to work together with it.

The launcher that watches this process says here by which module, with which words, another process would be watched in
the same way. A backend that knows how its framework starts processes asks for it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass

_OPTIONS = frozenset({"-B", "-O", "-OO", "-s", "-u"})
"""Options of the interpreter that stand by themselves."""


@dataclass(frozen=True)
class HandedOn:
    """A launcher: `python -m MODULE WORDS... (-m MODULE | SCRIPT) ARGS...` runs a program under it."""

    module: str
    words: tuple[str, ...] = ()

    def command(self, command: tuple[str, ...]) -> tuple[str, ...]:
        """The command that is watched, of one that runs a Python program; any other as it is."""
        interpreter, *rest = command
        if interpreter != sys.executable:
            return command
        options = 0
        while options < len(rest) and rest[options] in _OPTIONS:
            options += 1
        program = rest[options:]
        if not program or (program[0].startswith("-") and program[0] != "-m") or _is_ours(program):
            return command
        return (interpreter, *rest[:options], "-m", self.module, *self.words, *program)

    def run(self, function: Callable[[], object]) -> None:
        """Runs a function of this process, which has just been started, under the launcher."""
        importlib.import_module(self.module).run_function(self.words, function)


def _is_ours(program: list[str]) -> bool:
    return program[0] == "-m" and program[1:] != [] and program[1].partition(".")[0] == "tensordbg"


class _Handed:
    watching: HandedOn | None = None


def hand_on(watching: HandedOn | None) -> None:
    """Says how the processes that this one starts are watched; None for not at all."""
    _Handed.watching = watching


def handed_on() -> HandedOn | None:
    """How they are, or None where they are not."""
    return _Handed.watching
