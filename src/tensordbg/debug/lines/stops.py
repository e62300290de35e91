"""Stops the program before its first operation, and at lines: in eager code, and where functions run what a line made.

In a function it is a thread of the framework that stands still, and the console opens there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Protocol

from tensordbg.console.language.statements import Statement, statements_of
from tensordbg.console.pages.page import Place
from tensordbg.console.running import At, AtHand, Go, GoKind, Stop, StopKind
from tensordbg.debug.at_hand import at_hand
from tensordbg.debug.calls import place_of
from tensordbg.debug.lines.breaks import LineBreak, LineBreaks
from tensordbg.debug.lines.eager import EagerLines, LineOfFrame
from tensordbg.debug.lines.end_of_line import watch_end
from tensordbg.debug.lines.frame_names import FrameNames
from tensordbg.debug.lines.lines_begun import LinesBegun
from tensordbg.debug.lines.loop_iterations import LoopIterations
from tensordbg.errors import UsageError
from tensordbg.model import NONE, Frame
from tensordbg.recording.lines import EagerOperation, GraphLine
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import DebuggedCall

_LONGEST_S = 2.0
"""So long a line waits for one that is stepped over in another thread, which may have failed."""

_MOST_NAMES = 12
_ENDED = "the program was ended in the debugger"


class Standing(Protocol):
    """The debugger, as far as a stop at a line needs it."""

    @property
    def begun(self) -> bool:
        """Whether it has stopped the program before."""

    @property
    def over(self) -> bool:
        """Whether the program is not debugged any more."""

    @property
    def leaving(self) -> int | None:
        """The exit code, once the program was told to end."""

    @property
    def number(self) -> int:
        """The number of the run that is under way, or was made last."""

    @property
    def execution(self) -> int | None:
        """The number in the trace of the run that is under way, once it has begun."""

    @property
    def in_run(self) -> bool:
        """Whether a run is under way."""

    def stand(self, stop: Stop) -> Go:
        """Opens the console in this thread and returns how to go on."""

    def began(self, run: DebuggedCall, execution: int) -> None:
        """See `LineWatch`."""


class LineStops:
    """A `LineWatch`."""

    def __init__(self, recorder: Recorder, breaks: LineBreaks, debugger: Standing) -> None:
        """At the breakpoints of a debugger."""
        self._recorder = recorder
        self._breaks = breaks
        self._debugger = debugger
        is_own = recorder.catalog.user_code.is_own
        self._eager = EagerLines(is_own)
        self._loops = LoopIterations(breaks.loops, is_own)
        self._stepping: int | None = None
        """The thread that stops at its next line in eager code."""
        self._begun = LinesBegun()
        self._awaited: set[tuple[object, ...]] = set()
        """The runs of lines in functions behind which the program stops."""
        self.met: set[int] = set()
        """Numbers of the breakpoints whose lines have been met in the run that is under way."""
        self._turn = threading.Condition()
        self.on_change: Callable[[], None] = _nothing
        self._prepared = 0

    @property
    def wants_operations(self) -> bool:
        """See `LineWatch`."""
        debugger = self._debugger
        if debugger.over:
            return debugger.leaving is not None
        return not debugger.begun or bool(self._breaks) or self._stepping is not None

    @property
    def wants_lines(self) -> bool:
        """See `LineWatch`."""
        return bool(self._breaks) and not self._debugger.over

    @property
    def version(self) -> int:
        """See `LineWatch`."""
        return self._breaks.version

    def prepare(self) -> None:
        """Has functions stop at the lines that are of interest now; to be called between runs."""
        if self._prepared != self._breaks.version:
            self._prepared = self._breaks.version
            self.on_change()

    def before_operation(self, operation: EagerOperation) -> None:
        """See `LineWatch`."""
        self.raised()
        if self._debugger.over:
            return
        with self._recorder.guard("debugging"):
            if self._debugger.begun:
                self._look_at_loops(operation)
                self._look(operation)
            elif not operation.is_run:
                self._stand_before_first(operation)
            if not self._debugger.in_run:
                self.prepare()

    def raised(self) -> None:
        """See `LineWatch`."""
        if self._debugger.leaving is not None:
            raise SystemExit(self._debugger.leaving)

    def began(self, run: DebuggedCall, execution: int) -> None:
        """See `LineWatch`."""
        self._begun.clear()
        if execution != NONE:
            self._debugger.began(run, execution)

    def depth(self, frames: tuple[Frame, ...]) -> int | None:
        """See `LineWatch`."""
        return self._breaks.depth(frames)

    def names(self, frame: Frame) -> frozenset[str]:
        """See `LineWatch`."""
        found: set[str] = set()
        for each in self._breaks.at(frame.file, frame.line):
            found |= each.statement.taken | each.statement.assigned
            found |= each.condition.asked if each.condition is not None else set()
        return frozenset(found)

    def name_assigned_at(self, frame: Frame) -> str:
        """See `LineWatch`."""
        return _statement_at(frame.file, frame.line).value_of

    def gives_names_by_iteration(self, frame: Frame) -> bool:
        """See `LineWatch`."""
        statement = _statement_at(frame.file, frame.line)
        return bool(statement.repeated) and bool(statement.assigned)

    def reached(self, line: GraphLine) -> str | None:
        """See `LineWatch`."""
        if not self._debugger.over:
            with self._recorder.guard("debugging"):
                self._stand_in_graph(line)
        return None if self._debugger.leaving is None else _ENDED

    def _stand_in_graph(self, line: GraphLine) -> None:
        reason = self._reason_in_graph(line)
        self._begun.end(line)
        if reason is None:
            return
        self._begun.begin(line, _at(line.frames, self.depth(line.frames)))
        with self._turn:
            self._turn.wait_for(lambda: not self._awaited or line.run in self._awaited, _LONGEST_S)
        self._await_end(line, self._debugger.stand(self._stop_in_graph(line, reason)))

    def _await_end(self, line: GraphLine, go: Go) -> None:
        """Other threads that are at lines wait for the one that makes a step.

        A step that met another stop on its way is over once the program is told to go on.
        """
        with self._turn:
            self._awaited.discard(line.run)
            if go.kind is not GoKind.STEP:
                self._awaited.clear()
            if go.kind is GoKind.STEP and not line.is_behind:
                self._awaited.add(line.run)
            self._turn.notify_all()

    def _reason_in_graph(self, line: GraphLine) -> str | None:
        """Why the program stops in a function; empty if it was told to, None if it goes on."""
        frame = _at(line.frames, self.depth(line.frames))
        breaks = () if frame is None else self._breaks.at(frame.file, frame.line)

        def value_of(name: str) -> Any:
            if name in line.names:
                return line.names[name]
            known = ", ".join(sorted(line.names)) or "none"
            raise UsageError(f"{name!r} is no tensor that is at hand there (those that are: {known})")

        for each in breaks:
            self.met.add(each.number)
            if not line.is_behind and self._begun.goes_on(line, frame):
                continue
            if each.asks_for_iterations and not line.begins_iteration and not each.is_answered_by(line.names):
                continue
            if (each.is_behind == line.is_behind or not line.has_before) and (reason := each.reason(value_of)):
                return reason
        return "" if line.is_behind and line.run in self._awaited else None

    def _stop_in_graph(self, line: GraphLine, reason: str) -> Stop:
        debugger = self._debugger
        frame = _at(line.frames, self.depth(line.frames)) or next((each for each in reversed(line.frames)), None)
        values = tuple(at_hand(name, value) for name, value in line.tensors.items())
        at = At(line.operation, line.function, values, line.iteration, debugger.in_run)
        return Stop(
            StopKind.AFTER if line.is_behind else StopKind.BEFORE,
            debugger.number,
            line.function,
            debugger.execution,
            reason,
            place=None if frame is None else Place(frame.file, frame.line),
            at=at,
        )

    def _stand_before_first(self, operation: EagerOperation) -> None:
        self._stepping, known = threading.get_ident(), self._breaks.version
        go = self._look(operation)
        if go is None:
            self._stepping = None
            place = place_of(operation.caller, self._recorder.catalog)
            go = self._debugger.stand(self._stop_of(operation, StopKind.BEFORE, place, ()))
            self._leave()
        if go.kind is not GoKind.STEP and self._breaks.version != known:
            # One may have been set at this very line.
            self._eager.forget()
            self._look(operation)

    def _look_at_loops(self, operation: EagerOperation) -> None:
        """Stops where an iteration begins of a loop in Python."""
        if self._breaks:
            for line in self._loops.look(operation.caller, lambda line: self._iteration_begins(operation, line)):
                self._stand_at_iteration(operation, line)

    def _iteration_begins(self, operation: EagerOperation, line: LineOfFrame) -> None:
        """An iteration begins whose operations are still to come."""
        if not self._debugger.over:
            with self._recorder.guard("debugging"):
                self._stand_at_iteration(operation, line)
            self._leave()

    def _stand_at_iteration(self, operation: EagerOperation, line: LineOfFrame) -> None:
        names, statement = FrameNames(line.frame, operation.elements), _statement(line)
        breaks = self._breaks.at(line.frame.f_code.co_filename, line.first)
        reason = next((found for each in breaks if (found := each.reason(names.value))), "")
        if reason:
            asked = {name for each in breaks if each.condition is not None for name in each.condition.asked}
            shown = names.shown(sorted(statement.taken | statement.assigned | asked), _MOST_NAMES)
            go = self._debugger.stand(self._stop_of(operation, StopKind.BEFORE, _place(line), shown, reason))
            self._stepping = threading.get_ident() if go.kind is GoKind.STEP else None

    def _look(self, operation: EagerOperation) -> Go | None:
        """Stops at the line that begins with an operation, if it is to, and returns how to go on from there."""
        line = self._eager.begun(operation.caller, self._wanted)
        if line is None:
            return None
        breaks = self._breaks.at(line.frame.f_code.co_filename, line.first)
        names = FrameNames(line.frame, operation.elements)
        reason = next((found for each in breaks if not each.is_behind and (found := each.reason(names.value))), "")
        later = [each for each in breaks if each.is_behind]
        if reason or self._is_stepping:
            return self._stand_before(operation, line, reason, later)
        if later:
            watch_end(line, lambda result: self._look_behind(operation, line, later, result))
        return None

    def _stand_before(
        self, operation: EagerOperation, line: LineOfFrame, reason: str, later: Iterable[LineBreak]
    ) -> Go:
        self._stepping = None
        names, statement = FrameNames(line.frame, operation.elements), _statement(line)
        shown = names.shown(sorted(statement.taken), _MOST_NAMES) or self._inputs(operation)
        go = self._debugger.stand(self._stop_of(operation, StopKind.BEFORE, _place(line), shown, reason))
        self._leave()
        if go.kind is GoKind.STEP:
            watch_end(line, lambda result: self._stand_behind(operation, line, result))
        elif later:
            watch_end(line, lambda result: self._look_behind(operation, line, later, result))
        return go

    def _look_behind(
        self, operation: EagerOperation, line: LineOfFrame, breaks: Iterable[LineBreak], result: Any
    ) -> None:
        """At the end of a line: stops if a condition holds of what it has computed."""
        if self._debugger.over:
            return
        reason = ""
        with self._recorder.guard("debugging"):
            names = FrameNames(line.frame, operation.elements)
            reason = next((found for each in breaks if (found := each.reason(names.value))), "")
        if reason:
            self._stand_behind(operation, line, result, reason)

    def _stand_behind(self, operation: EagerOperation, line: LineOfFrame, result: Any, reason: str = "") -> None:
        if self._debugger.over:
            return
        with self._recorder.guard("debugging"):
            names = FrameNames(line.frame, operation.elements)
            shown = names.shown(sorted(_statement(line).assigned), _MOST_NAMES)
            value = operation.elements(result)
            returned = () if value is None else (at_hand("returned", value),)
            go = self._debugger.stand(
                self._stop_of(operation, StopKind.AFTER, _place(line), (*shown, *returned), reason)
            )
            if go.kind is GoKind.STEP:
                self._stepping = threading.get_ident()
                self._eager.forget()
        self._leave()

    def _stop_of(
        self,
        operation: EagerOperation,
        kind: StopKind,
        place: Place | None,
        shown: Iterable[AtHand],
        reason: str = "",
    ) -> Stop:
        at = At(operation.name, at_hand=tuple(shown), in_run=self._debugger.in_run)
        stop = Stop(kind, self._debugger.number, operation.name, self._debugger.execution, reason, place=place)
        return replace(stop, at=at)

    @staticmethod
    def _inputs(operation: EagerOperation) -> tuple[AtHand, ...]:
        values = [operation.elements(each) for each in operation.inputs()[:_MOST_NAMES]]
        return tuple(at_hand(f"input {k}", value) for k, value in enumerate(values) if value is not None)

    @property
    def _is_stepping(self) -> bool:
        return self._stepping == threading.get_ident()

    def _wanted(self, file: str, line: int) -> tuple[int, int] | None:
        """The lines of a statement at which the program may have to stop."""
        breaks = self._breaks.at(file, line)
        if breaks:
            return breaks[0].statement.first, breaks[0].statement.last
        if not self._is_stepping or not self._recorder.catalog.user_code.is_user(file):
            return None
        statement = _statement_at(file, line)
        return statement.first, statement.last

    def _leave(self) -> None:
        """Ends the program if it was told to end."""
        if self._debugger.leaving is not None:
            raise SystemExit(self._debugger.leaving)


def _at(frames: tuple[Frame, ...], depth: int | None) -> Frame | None:
    return None if depth is None else frames[depth]


def _place(line: LineOfFrame) -> Place:
    return Place(line.frame.f_code.co_filename, line.first)


def _statement(line: LineOfFrame) -> Statement:
    return _statement_at(line.frame.f_code.co_filename, line.first)


def _statement_at(file: str, line: int) -> Statement:
    statements = statements_of(file)
    found = None if statements is None else statements.at(line)
    return found or Statement(line, line)


def _nothing() -> None:
    """Nothing is to be prepared."""
