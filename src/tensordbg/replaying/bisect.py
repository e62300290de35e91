"""Looks for the smallest part of a captured batch that still goes wrong, by rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tensordbg.capture.header import Trouble
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.replayed import Bisected
from tensordbg.capture.tensors import Array
from tensordbg.errors import CaptureError, StepRaisedError
from tensordbg.recording.backend import StepReplayer
from tensordbg.replaying.delta_debugging import smallest_failing
from tensordbg.trapping.rules import RAISED


def bisect(replayer: StepReplayer, trouble: Trouble) -> Bisected:
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


def chosen(replayer: StepReplayer, bisected: Bisected, rows: Sequence[int]) -> Mapping[str, Array]:
    """The arguments of the step if the batch has these rows only; all of it where there are none."""
    if not rows:
        return dict(replayer.arguments)
    taken = list(rows)
    if bisected.stand_ins:
        kept, others = set(rows), bisected.stand_ins
        taken = [row if row in kept else others[row % len(others)] for row in range(bisected.rows)]
    elif bisected.refilled:
        taken = [rows[i % len(rows)] for i in range(bisected.rows)]
    return {name: array[taken] if name in bisected.inputs else array for name, array in replayer.arguments.items()}


class _Search:
    def __init__(self, replayer: StepReplayer, trouble: Trouble) -> None:
        self._replayer = replayer
        self._trouble = trouble
        self.rows, self._inputs = _divisible(replayer.arguments)
        self._refilled = False
        self._stand_ins: tuple[int, ...] = ()
        self._known: dict[tuple[int, ...], bool] = {}
        self._raised_in = self._place() if trouble.kind == RAISED else ""
        if any(name in replayer.fixed for name in self._inputs):
            self._refilled = not self._takes_fewer()
        if self._refilled:
            self._stand_ins = self._found_stand_ins()

    def _takes_fewer(self) -> bool:
        """Whether a function that was traced for one size of batch runs with others all the same."""
        try:
            for count in {1, self.rows // 2} - {0}:
                self._ran(range(count))
        except CaptureError:
            return False
        return True

    def _found_stand_ins(self) -> tuple[int, ...]:
        """Rows that go well when the batch consists of them: in their company the others show what they are."""
        good = tuple(row for row in range(self.rows) if not self.fails([row]))
        runs = len(self._known)
        if not good or self.fails(good):
            return ()
        self._known = {(-run,): False for run in range(1, runs + 1)}  # counted, and forgotten
        return good

    def fails(self, rows: Sequence[int]) -> bool:
        key = tuple(rows)
        if key not in self._known:
            try:
                self._known[key] = self._ran(key)
            except StepRaisedError:
                if self._trouble.kind != RAISED:
                    raise
                self._known[key] = False  # a part that goes wrong otherwise tells nothing
        return self._known[key]

    def _ran(self, rows: Sequence[int]) -> bool:
        """Runs the step with these rows; whether it went wrong as the captured one did, which may have raised."""
        try:
            readings = self._replayer.run(chosen(self._replayer, self.result((), ()), rows))
        except StepRaisedError as error:
            if self._trouble.kind != RAISED or error.place != self._raised_in:
                raise
            return True
        return compare(self._trouble, readings) in {Outcome.SAME, Outcome.ALIKE}

    def _place(self) -> str:
        """Where the step raises with all rows; empty where it doesn't."""
        try:
            self._replayer.run(self._replayer.arguments)
        except StepRaisedError as error:
            return error.place
        return ""

    def result(self, smallest: tuple[int, ...], alone: tuple[int, ...]) -> Bisected:
        return Bisected(self._inputs, self.rows, smallest, alone, self._refilled, len(self._known), self._stand_ins)


def _divisible(given: Mapping[str, Array]) -> tuple[int, tuple[str, ...]]:
    """How many rows there are, and which inputs have them: those that share their first dimension."""
    extents = Counter(array.shape[0] for array in given.values() if array.ndim and array.shape[0] > 0)
    if not extents:
        raise CaptureError("the step was given nothing that has rows; only a batch can be divided, leave out --bisect")
    (rows, _), *_ = extents.most_common()
    return rows, tuple(name for name, array in given.items() if array.ndim and array.shape[0] == rows)
