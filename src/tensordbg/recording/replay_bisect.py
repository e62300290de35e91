"""Looks for the smallest part of a captured batch that still goes wrong, by rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tensordbg.capture.header import Trouble
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.replayed import Bisected
from tensordbg.capture.tensors import Array
from tensordbg.errors import CaptureError
from tensordbg.recording.delta_debugging import smallest_failing


def bisect(replayer: Any, trouble: Trouble) -> Bisected:
    """Finds the part.

    Args:
        replayer: Runs the step with what it is given.
        trouble: What a part must go wrong with too: the same tensors, in the same kinds.

    Raises:
        CaptureError: If the step was given no batch.
    """
    search = _Search(replayer, trouble)
    everything = range(search.rows)
    if not search.fails(everything):
        return search.result((), ())
    smallest = smallest_failing(everything, search.fails)
    alone = tuple(row for row in everything if search.fails([row])) if len(smallest) == 1 else ()
    return search.result(smallest, alone)


def chosen(replayer: Any, bisected: Bisected, rows: Sequence[int]) -> Mapping[str, Array]:
    """What the step is given if the batch has these rows only; all of it where there are none."""
    if not rows:
        return dict(replayer.given)
    count = bisected.rows
    taken = [rows[i % len(rows)] for i in range(count)] if bisected.refilled else list(rows)
    return {name: array[taken] if name in bisected.inputs else array for name, array in replayer.given.items()}


class _Search:
    def __init__(self, replayer: Any, trouble: Trouble) -> None:
        self._replayer = replayer
        self._trouble = trouble
        self.rows, self._inputs = _divisible(replayer.given)
        self._refilled = any(name in replayer.fixed for name in self._inputs)
        self._known: dict[tuple[int, ...], bool] = {}

    def fails(self, rows: Sequence[int]) -> bool:
        key = tuple(rows)
        if key not in self._known:
            given = chosen(self._replayer, self.result((), ()), key)
            outcome = compare(self._trouble, self._replayer.run(given))
            self._known[key] = outcome in {Outcome.SAME, Outcome.ALIKE}
        return self._known[key]

    def result(self, smallest: tuple[int, ...], alone: tuple[int, ...]) -> Bisected:
        return Bisected(self._inputs, self.rows, smallest, alone, self._refilled, len(self._known))


def _divisible(given: Mapping[str, Array]) -> tuple[int, tuple[str, ...]]:
    """How many rows there are, and which inputs have them: those that share their first dimension."""
    extents = Counter(array.shape[0] for array in given.values() if array.ndim and array.shape[0] > 0)
    if not extents:
        raise CaptureError("the step was given nothing that has rows; only a batch can be divided, leave out --bisect")
    (rows, _), *_ = extents.most_common()
    return rows, tuple(name for name, array in given.items() if array.ndim and array.shape[0] == rows)
