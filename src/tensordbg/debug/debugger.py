"""The debugger of one process: told of each run, it decides whether to stop there, and then opens the console."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from types import FrameType

from tensordbg.console.console import Console, Face
from tensordbg.console.language.filters import Filters
from tensordbg.console.running import Go, GoKind, Stop, StopKind
from tensordbg.debug.calls import place_of, stop_at, user_frames
from tensordbg.debug.failures import Failures
from tensordbg.debug.interrupt import Interrupt
from tensordbg.debug.lines.stops import LineStops
from tensordbg.debug.program import DebuggedProgram
from tensordbg.debug.reasons.conditions import Conditions
from tensordbg.debug.retention import BETWEEN, Retention
from tensordbg.debug.stepping import Stepping
from tensordbg.debug.tensors import wanted_tensors
from tensordbg.model import NONE
from tensordbg.recording.runs import DebuggedCall
from tensordbg.recording.session import Session

EXIT = 1
"""The exit code of a program that the user's `exit` has ended."""


class Debugger:
    """A `RunWatch`: stands before and behind the runs of a program that is recorded."""

    def __init__(
        self,
        session: Session,
        face: Face,
        filters: Filters,
        exit_code: int = EXIT,
        wants: Callable[[DebuggedCall], bool] | None = None,
    ) -> None:
        """Stops before the first run.

        Args:
            session: The recording, whose log forgets as told.
            face: What talks with the user.
            filters: Those that have a name.
            exit_code: With which `exit` ends the program.
            wants: Which runs count; all by default. Others are not recorded.
        """
        self._session = session
        self._recorder = session.recorder
        self._face = face
        self._exit_code = exit_code
        self._wants = wants
        self.program = DebuggedProgram(filters)
        self.interrupt = Interrupt()
        self._console = Console(session.folder, self.program, filters)
        self._stepping = Stepping()
        self._conditions = Conditions(session, self.program.set)
        self._retention = Retention(self._recorder.log, session.plan.values.budget)
        self._failures = Failures(self._recorder.catalog)
        self._over = False
        """Whether the program is not debugged any more."""
        self._leaving: int | None = None
        """The exit code, once the program was told to end."""
        self._lock = threading.Lock()
        self._talk = threading.RLock()
        """Held by the thread in which the console is open."""
        self.lines = LineStops(self._recorder, self.program.set.lines, self)
        self._current: DebuggedCall | None = None
        """The run that is under way, or that is looked at."""
        self._number = 0
        self._stopped_within = False
        """Whether the program has stopped in the midst of the run that is under way."""
        self._first: int | None = None
        """The first operation of such a run that was told of by itself."""

    @property
    def begun(self) -> bool:
        """See `Standing`."""
        return self._stepping.go is not None

    @property
    def over(self) -> bool:
        """See `Standing`."""
        return self._over

    @property
    def leaving(self) -> int | None:
        """See `Standing`."""
        return self._leaving

    @property
    def number(self) -> int:
        """See `Standing`."""
        return self._number

    @property
    def execution(self) -> int | None:
        """See `Standing`."""
        return self.program.made.get(self._number) if self._current is not None else None

    @property
    def in_run(self) -> bool:
        """See `Standing`."""
        return self._current is not None

    def began(self, run: DebuggedCall, execution: int) -> None:
        """See `Standing`."""
        if run is self._current:
            self.program.made[self._number] = execution

    @property
    def each_operation(self) -> bool:
        """See `RunWatch`: whether an eager operation may stop the program now."""
        return self._current is None and not self._over and (self._conditions.any or self.interrupt.waits)

    def before(self, run: DebuggedCall) -> bool:
        """See `RunWatch`."""
        if self._wants is not None and not self._wants(run):
            return False
        if self._leaving is not None:
            # Something in the program has caught it, or only a thread has ended.
            raise SystemExit(self._leaving)
        if not self._claim(run):
            return not self._recorder.resting
        with self._recorder.guard("debugging"):
            self.lines.prepare()
            reason = "Ctrl-C" if self.interrupt.asked() else self._line_of(run)
            if reason or self._stepping.stops_before:
                stop = stop_at(StopKind.BEFORE, self._number, run, self._recorder.catalog)
                self._stop(replace(stop, reason=reason), BETWEEN)
                self.lines.prepare()
        return not self._recorder.resting

    def after(self, run: DebuggedCall, execution: int, error: BaseException | None) -> None:
        """See `RunWatch`."""
        if self._leaving is not None and error is not None:
            # It raised because it was told to, in a thread of the framework.
            raise SystemExit(self._leaving) from None
        if run is not self._current:
            return
        try:
            with self._recorder.guard("debugging"):
                self._made(run, execution, error)
        finally:
            self._current = None
            self._stopped_within = False

    def ran(self, execution: int) -> None:
        """See `RunWatch`."""
        if self._current is not None and self._first is None:
            self._first = execution

    def operation(self, site: int, execution: int, caller: FrameType) -> None:
        """See `RunWatch`."""
        if self._current is not None or self._over:
            return
        with self._recorder.guard("debugging"):
            catalog = self._recorder.catalog
            name, place = catalog.site(site).name, place_of(caller, catalog)
            stop = Stop(StopKind.AFTER, self._number, name, execution, place=place)
            interrupted = self.interrupt.asked()
            stop = replace(stop, reason="Ctrl-C") if interrupted else self._conditions.behind_operation(site, stop)
            if stop.reason or stop.filter:
                self._stop(stop, BETWEEN)

    def failed(self, error: BaseException) -> None:
        """The program has raised what ends it; the console opens on the operation that did."""
        if self._over or isinstance(error, KeyboardInterrupt):
            return
        if isinstance(error, SystemExit):
            self.ended()
            return
        self._stop_finally(self._failures.stop_of(error, self._number))

    def ended(self) -> None:
        """The program has come to its end."""
        if self._leaving is not None:
            raise SystemExit(self._leaving)
        if not self._over:
            stop = self._conditions.at_rest(Stop(StopKind.END, self._number, ""))
            for told in self.program.set.lines.unseen():
                self._recorder.warn(told)
            self._stop_finally(stop)

    def _line_of(self, run: DebuggedCall) -> str:
        """The breakpoint at the line that makes a session's run; nothing else has met that line."""
        if not run.by_session or self._recorder.lines is None:
            return ""
        frames = user_frames(run.caller, self._recorder.catalog)
        met = (each.words for frame in frames for each in self.program.set.lines.at(frame.file, frame.line))
        return next(met, "")

    def _claim(self, run: DebuggedCall) -> bool:
        """Whether a run counts: not one inside another, nor one that somebody else makes meanwhile."""
        with self._lock:
            if self._over or self._current is not None:
                return False
            self._current, self._first = run, None
            self._number += 1
            self.lines.met.clear()
        return True

    def _made(self, run: DebuggedCall, execution: int, error: BaseException | None) -> None:
        """A run that counts has been made."""
        stop = stop_at(StopKind.AFTER, self._number, run, self._recorder.catalog)
        due = self._stepping.made()
        stop = replace(stop, since=self._first)
        if execution != NONE:
            self.program.made[self._number] = execution
            stop = replace(stop, execution=execution)
        if error is None and not self._recorder.resting:
            stop = self._conditions.behind(run, stop, self.lines.met)
        if error is not None:
            self._keep(self._number, True)
            self._raised(error, stop)
        elif due or stop.reason or stop.filter:
            self._stop(stop, self._number)
        else:
            self._keep(self._number, self._stopped_within)
            self._prepare()

    def _raised(self, error: BaseException, stop: Stop) -> None:
        """A run has raised. It may be meant: the program's own code decides whether it ends with it."""
        self._failures.note(error, stop)

    def _stop(self, stop: Stop, run: int) -> None:
        """Opens the console, on what the log holds of a run or of what was between runs, and goes on as told."""
        self._converse(stop, run)
        if self._leaving is not None:
            raise SystemExit(self._leaving)

    def stand(self, stop: Stop) -> Go:
        """See `Standing`."""
        self._stopped_within = self._current is not None
        return self._converse(stop, BETWEEN)

    def _converse(self, stop: Stop, run: int) -> Go:
        """Opens the console in this thread, as soon as it is open in no other, and returns how to go on."""
        with self._talk:
            if self._over:
                return Go(GoKind.EXIT)
            self._keep(run, True)
            self.program.stop = stop
            with self.interrupt.left_alone():
                go = self._face.converse(self._console)
            if go.kind is GoKind.EXIT:
                self._over = True
                self._leaving = self._exit_code if go.exit_code is None else go.exit_code
                return go
            # From a line it is stepped to a line, and not to the next run.
            told = replace(go, kind=GoKind.CONTINUE) if go.kind is GoKind.STEP and steps_lines(stop) else go
            self._stepping.follow(told)
            self._conditions.follow(told)
            self._prepare()
            return go

    def _stop_finally(self, stop: Stop) -> None:
        """Opens the console a last time; the program ends as it would have."""
        with self._recorder.guard("debugging"):
            self._over = True
            self.program.stop = stop
            self._recorder.rest()
            with self.interrupt.left_alone():
                go = self._face.converse(self._console)
            if stop.kind is StopKind.END and go.exit_code:
                raise SystemExit(go.exit_code)

    def _keep(self, run: int, stopped: bool) -> None:
        for forgotten in self._retention.note(run, stopped):
            self.program.made.pop(forgotten, None)
        if self._recorder.log.values().refused:
            self._recorder.warn(
                "the elements of some tensors were not kept, as a run took more than there is room for; choose fewer, "
                "or make room (--values-budget)"
            )

    def _prepare(self) -> None:
        """Records what comes next, or not, as was told."""
        recorded = self._stepping.records(bool(self.program.breakpoints))
        if recorded is None:
            self._recorder.rest()
            return
        self._session.choose_tensors(wanted_tensors(recorded))
        self._recorder.wake()
        if not self._conditions.any:
            self._conditions.pass_by()


def steps_lines(stop: Stop) -> bool:
    """Whether `step` goes on to a line from there: behind one in a function there is none to go on to."""
    return stop.at is not None and not (stop.kind is StopKind.AFTER and stop.at.function)
