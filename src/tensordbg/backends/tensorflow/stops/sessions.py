"""Stops within the runs of sessions, at the lines of a debugger's breakpoints.

The run is held where its tensors are recorded: what takes a tensor waits for its watch. Before a line it is held at the
last input of the first of its operations that may run; behind it, at the last of what they compute. Others that need
neither may run meanwhile.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, copied
from tensordbg.backends.tensorflow.sessions.watched import Behind, SessionRun
from tensordbg.backends.tensorflow.stops.quiet_end import QuietEnd
from tensordbg.backends.tensorflow.stops.session_groups import Chain, Node, StopGroup, groups_of
from tensordbg.capture.tensors import Array
from tensordbg.recording.lines import GraphLine, LineWatch
from tensordbg.recording.recorder import Recorder

Source = tuple[int, int]
"""A node by its place in the list of those of interest, and one of its outputs."""

Turn = tuple[int, int]
"""A loop's frame, 0 outside of loops, and the iteration."""

Place = tuple[int, int, int, int, int, int]
"""The run, the node, its output, the step, the loop's frame and the iteration."""

_PATIENCE_S = 0.05
_MOST_WAITS = 20
"""So often a line waits for inputs that don't come before it begins; then it is known that they come later."""


class StoppedSessions:
    """An observer of the runs of sessions."""

    doing = "stopping in"
    done = "stopped inside"

    def __init__(self, recorder: Recorder, lines: LineWatch) -> None:
        """For a debugger."""
        self._recorder = recorder
        self._lines = lines
        self._runs: dict[int, _LinesOfRun] = {}
        self._known: dict[int, int] = {}
        self._quiet = QuietEnd()

    @property
    def active(self) -> bool:
        """Whether any line is of interest."""
        return self._recorder.active and self._lines.wants_lines

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends the recording."""
        return self._recorder.guard(what)

    def warn(self, message: str) -> None:
        """Says nothing: who records has said it."""

    def install(self) -> None:
        """Stops the program from now on."""
        _native.start_session_stops(self._reached)

    def uninstall(self) -> None:
        """Stops it no more."""
        _native.stop_session_stops()
        for number in list(self._runs):
            self._forget(number)
        self._quiet.end()

    def begin(self, this: Any, run: SessionRun, caller: FrameType) -> StoppedCall:  # noqa: ARG002
        """A run begins; the debugger has been told of it, so its breakpoints are what they will be."""
        known = self._runs.get(run.number)
        if known is None or self._known[run.number] != self._lines.version:
            if known is None:
                weakref.finalize(this, self._forget, run.number)
            groups = groups_of(run.description, run.key, self._recorder.catalog, self._lines)
            known = _LinesOfRun(run.number, run.description.function.name, groups)
            self._runs[run.number], self._known[run.number] = known, self._lines.version
            _native.describe_session_stops(run.number, known.nodes(run.description.operations))
        return StoppedCall(known)

    def _forget(self, number: int) -> None:
        if self._runs.pop(number, None) is not None:
            _native.forget_session_stops(number)

    def _reached(self, place: Place, tensor: RawTensor | None) -> str | None:
        run, node, slot, step, frame, iteration = place
        known = self._runs.get(run)
        if known is None or not self.active:
            return None
        value = copied(tensor)
        for line in known.met((node, slot), value, step, (frame, iteration)):
            failure = self._lines.reached(line)
            if failure is not None:
                self._quiet.begin()
                return failure
        return None


class StoppedCall:
    """One run that may be stopped in. It needs no watch but that of the recording."""

    operation = ""
    behind: Behind | None = None

    def __init__(self, run: _LinesOfRun) -> None:
        self._run = run
        run.begin()

    def end(self, error: BaseException | None) -> None:  # noqa: ARG002
        """Nothing of the run is needed any more."""
        self._run.end()


@dataclass
class _Step:
    """What has been computed so far."""

    values: dict[Turn, dict[Source, Array | None]] = field(default_factory=dict)
    begun: set[tuple[int, Turn]] = field(default_factory=set)
    ended: set[tuple[int, Turn]] = field(default_factory=set)

    def find(self, source: Source | None, turn: Turn) -> tuple[bool, Array | None]:
        """Whether a tensor has been computed, and it; what a loop takes from outside is of another iteration."""
        if source is None:
            return False, None
        if source in self.values.get(turn, {}):
            return True, self.values[turn][source]
        found = [values[source] for other, values in self.values.items() if other[0] != turn[0] and source in values]
        return bool(found), found[-1] if found else None


class _LinesOfRun:
    """The groups of one kind of run."""

    def __init__(self, number: int, name: str, groups: list[StopGroup]) -> None:
        self._number = number
        self._name = name
        self._groups = groups
        self._places: dict[str, int] = {}
        self._watched: set[Source] | None = None
        self._at: dict[Source, list[int]] = {}
        self._starts: list[list[set[Source]]] = []
        self._own: list[set[Source]] = []
        self._steps: dict[int, _Step] = {}
        self._waits = [0] * len(groups)
        self._calls = 0
        self._changed = threading.Condition()

    def nodes(self, operations: Iterable[Any]) -> list[tuple[str, bool]]:
        """The nodes of interest, and whether each has a single output."""
        single = {each.name: len(each.outputs) == 1 for each in operations}
        names = dict.fromkeys(name for group in self._groups for chain in group.chains for name, _ in chain)
        self._places = {name: place for place, name in enumerate(names)}
        return [(name, single.get(name, True)) for name in names]

    def begin(self) -> None:
        """A run begins."""
        with self._changed:
            self._calls += 1

    def end(self) -> None:
        """A run has ended."""
        with self._changed:
            self._calls -= 1
            if not self._calls:
                self._steps.clear()

    def met(self, source: Source, value: Array | None, step: int, turn: Turn) -> Iterable[GraphLine]:
        """A tensor has been computed; tells of the lines that end or begin with that."""
        with self._changed:
            self._learn_watched()
            now = self._steps.setdefault(step, _Step())
            now.values.setdefault(turn, {})[source] = value
            for earlier in [each for each in now.values if each[0] == turn[0] and each[1] + 2 < turn[1]]:
                del now.values[earlier]
            behind, before = self._due(source, now, turn)
            self._changed.notify_all()
        for number in behind:
            yield self._line(number, True, step, turn)
        for number in before:
            self._wait(number, now, turn)
            yield self._line(number, False, step, turn)

    def _learn_watched(self) -> None:
        """What there is in the graph as it runs is known once it runs."""
        if self._watched is not None:
            return
        self._watched = set(_native.watched_in_session(self._number))
        for number, group in enumerate(self._groups):
            starts = [{each for each in map(self._source, chains) if each is not None} for chains in group.starts]
            own = {each for each in (self._source((node,)) for node in group.own) if each is not None}
            self._starts.append([each for each in starts if each])
            self._own.append(own)
            for source in set().union(own, *starts):
                self._at.setdefault(source, []).append(number)

    def _source(self, chain: Chain) -> Source | None:
        """Where a tensor is met."""
        found = ((self._places[name], slot) for name, slot in chain)
        return next((each for each in found if self._watched is not None and each in self._watched), None)

    def _due(self, source: Source, now: _Step, turn: Turn) -> tuple[list[int], list[int]]:
        behind, before = [], []
        for number in self._at.get(source, ()):
            key = (number, turn)
            own, starts = self._own[number], self._starts[number]
            if source in own and key not in now.ended and all(now.find(each, turn)[0] for each in own):
                now.ended.add(key)
                behind.append(number)
            begins = any(source in start and all(now.find(each, turn)[0] for each in start) for start in starts)
            if begins and key not in now.begun:
                now.begun.add(key)
                before.append(number)
        return behind, before

    def _wait(self, number: int, now: _Step, turn: Turn) -> None:
        """Other inputs of the line are mostly there in a moment."""
        group = self._groups[number]
        sources = [self._source(chain) for chain in (*group.takes.values(), *group.named_before.values())]
        wanted = [each for each in sources if each is not None and each not in self._own[number]]

        def all_there() -> bool:
            return all(now.find(each, turn)[0] for each in wanted)

        with self._changed:
            if self._waits[number] < _MOST_WAITS and not self._changed.wait_for(all_there, _PATIENCE_S):
                self._waits[number] += 1

    def _line(self, number: int, is_behind: bool, step: int, turn: Turn) -> GraphLine:
        group = self._groups[number]
        named = group.named_behind if is_behind else group.named_before
        with self._changed:
            shown = self._values(group.gives if is_behind else group.takes, step, turn)
            names = self._values(named, step, turn)
        titles = {named[name]: name for name in names}
        chains = group.gives if is_behind else group.takes
        return GraphLine(
            group.last if is_behind else group.first,
            self._name,
            group.frames,
            {_title(tensor, titles, chains[tensor]): value for tensor, value in shown.items()},
            names,
            (self._number, number, step, *turn),
            is_behind,
            turn[1] if turn[0] else None,
            has_before=bool(self._starts[number]),
        )

    def _values(self, chains: Mapping[str, Chain], step: int, turn: Turn) -> dict[str, Array]:
        now = self._steps.get(step, _Step())
        found = {name: now.find(self._source(chain), turn)[1] for name, chain in chains.items()}
        return {name: value for name, value in found.items() if value is not None}


def _title(tensor: str, names: Mapping[Chain, str], chain: tuple[Node, ...]) -> str:
    """A tensor by its Python name, where it is known, and by its name in the graph."""
    return f"{names[chain]} ({tensor})" if chain in names else tensor
