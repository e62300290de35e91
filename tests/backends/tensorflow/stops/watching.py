"""A watch of lines for tests in one process: it notes what it is told of the lines that a comment marks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tensordbg.model import Detail, Frame
from tensordbg.recording.lines import EagerOperation, GraphLine
from tensordbg.recording.plan import Plan
from tensordbg.recording.runs import DebuggedCall
from tensordbg.recording.session import Session


class Met(NamedTuple):
    """A line as it was reached."""

    operation: str
    is_behind: bool
    iteration: int | None
    tensors: dict[str, Any]
    names: dict[str, Any]


class Lines:
    """A `LineWatch` of the lines of a file with a word in a comment behind them."""

    def __init__(self, file: str, word: str) -> None:
        self.word = word
        self.version = 1
        self.on_change: Callable[[], None] = lambda: None
        self.wants_operations, self.wants_lines = False, True
        self.met: list[Met] = []
        self.answer: str | None = None
        self._file = file
        self._lock = threading.Lock()

    def before_operation(self, operation: EagerOperation) -> None: ...

    def raised(self) -> None: ...

    def began(self, run: DebuggedCall, execution: int) -> None: ...

    def depth(self, frames: tuple[Frame, ...]) -> int | None:
        return next((k for k in reversed(range(len(frames))) if f"# {self.word}" in self._text(frames[k])), None)

    def names(self, frame: Frame) -> frozenset[str]:
        return frozenset({"x", "texts", "y"})

    def name_assigned_at(self, frame: Frame) -> str:
        return "y" if self._text(frame).lstrip().startswith("y =") else ""

    def gives_names_by_iteration(self, frame: Frame) -> bool:
        return self._text(frame).lstrip().startswith("for ")

    def reached(self, line: GraphLine) -> str | None:
        with self._lock:
            told = (_copied(line.tensors), _copied(line.names))
            self.met.append(Met(line.operation, line.is_behind, line.iteration, *told))
        return self.answer

    def _text(self, frame: Frame) -> str:
        return Path(self._file).read_text().splitlines()[frame.line - 1] if frame.file == self._file else ""


def _copied(arrays: Any) -> dict[str, Any]:
    return {name: array.copy().tolist() for name, array in arrays.items()}


@contextmanager
def stopping(folder: Path, file: str, word: str) -> Iterator[Lines]:
    """Records this process with stops at the lines of a file that a word marks."""
    lines = Lines(file, word)
    session = Session(folder / "trace", Plan(Detail.HEALTH), "stops")
    session.recorder.lines = lines
    session.start()
    try:
        yield lines
    finally:
        session.stop()
