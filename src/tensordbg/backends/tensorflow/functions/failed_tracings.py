"""Tells whoever asks that the tracing of a function raised: nothing else knows that it was called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensordbg.backends.tensorflow.own_frames import unseen

Note = Callable[[str, BaseException], None]
"""Takes the name of the function and the error."""


class FailedTracings:
    """Those who are told."""

    def __init__(self) -> None:
        """Nobody is yet."""
        self._notes: list[Note] = []

    def add(self, note: Note) -> None:
        """Tells one more from now on."""
        self._notes.append(note)

    def remove(self, note: Note) -> None:
        """Tells it no longer."""
        self._notes.remove(note)

    def noting(self, trace: Callable[..., Any]) -> Callable[..., Any]:
        """Wraps what traces a function, which it is given the name of first."""

        def func_graph_from_py_func(name: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                return trace(name, *args, **kwargs)
            except Exception as error:
                for note in list(self._notes):
                    note(str(name), error)
                raise

        return unseen(func_graph_from_py_func)
