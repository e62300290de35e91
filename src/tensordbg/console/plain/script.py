"""A script of commands: for tests, batch jobs and other programs."""

from __future__ import annotations

import sys
from collections import deque
from typing import TextIO

from tensordbg.console.console import Console
from tensordbg.console.language.words import split_commands
from tensordbg.console.plain.printing import Printer
from tensordbg.console.running import Go, GoKind, Stop
from tensordbg.errors import TensordbgError

FAILED = 2
"""The exit code after a command that failed."""


class ScriptFace:
    """Types the commands of a script, one after the other, over as many stops as it takes."""

    def __init__(self, script: str, out: TextIO | None = None) -> None:
        """Takes the commands: one a line, or several with `;` between them."""
        self._waiting = deque(split_commands(script))
        self._out = out or sys.stdout
        self._printer = Printer(self._out, paged=False)

    def converse(self, console: Console) -> Go:
        """See `Face`; it ends with the code 0 where the script does, and 2 at the first command that fails."""
        try:
            opening = console.opening()
            if console.runner is not None:
                self._tell(opening.title, console.runner.stop)
            while self._waiting:
                line = self._waiting.popleft()
                self._printer.say(f"{console.prompt}{line}")
                answer = console.answer(line)
                if answer.page is not None:
                    self._printer.show(answer.page)
                if answer.go is not None:
                    return answer.go
        except TensordbgError as error:
            self._out.flush()
            print(f"tdbg: error: {' '.join(str(error).split())}", file=sys.stderr, flush=True)
            return Go(GoKind.EXIT, exit_code=FAILED)
        return Go(GoKind.EXIT, exit_code=0)

    def _tell(self, title: str, stop: Stop) -> None:
        """Where the program stands, and why if it was not told to."""
        passing = f'a tensor passes filter "{stop.filter}"' if stop.filter else ""
        for each in (title, stop.reason, passing, *stop.exception.splitlines()[:1]):
            if each:
                self._printer.say(each)
