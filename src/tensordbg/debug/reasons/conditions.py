"""Why a program that goes on may have to stop: breakpoints, the line of `until`, the filter of `run -f`."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import replace

from tensordbg.analysis.view.records.sites import NamedEvents
from tensordbg.console.running import Go, GoKind, Stop
from tensordbg.debug.calls import user_frames
from tensordbg.debug.reasons.breakpoints import Breakpoints, Computed, at_line, computed_at, computed_in
from tensordbg.debug.reasons.newest import Newest, NewestEvents
from tensordbg.errors import TensordbgError
from tensordbg.recording.runs import DebuggedCall
from tensordbg.recording.session import Session

_EAGER_AT_ONCE = 32
"""So many eager operations are computed before filters look at their tensors: a look takes as long as some of them."""


class Conditions:
    """Looks at what was recorded last."""

    def __init__(self, session: Session, breakpoints: Breakpoints) -> None:
        """Of a recording."""
        self._recorder = session.recorder
        self._folder = session.folder
        self._breakpoints = breakpoints
        self._newest: NewestEvents | None = None
        self._go: Go | None = None
        self._mark = 0
        """Sequence number of the last record that was looked at."""
        self._unseen = 0
        """So many eager operations were computed since then."""

    def follow(self, go: Go) -> None:
        """The program goes on as told; what was recorded until now is not looked at."""
        self._go = go
        self.pass_by()

    def pass_by(self) -> None:
        """Passes by what was recorded until now: it is not looked at any more."""
        self._mark, self._unseen = self._recorder.log.appended(), 0

    @property
    def any(self) -> bool:
        """Whether there is anything to look for."""
        go = self._go
        others = self._breakpoints.has_others or (self._stops_behind_lines and bool(self._breakpoints.by_number))
        return others or (go is not None and (go.till is not None or go.place is not None))

    @property
    def _stops_behind_lines(self) -> bool:
        """Whether nothing stops the program at lines, so that it is to be stopped behind what they have computed."""
        return self._recorder.lines is None

    def behind(self, run: DebuggedCall, stop: Stop, met: Container[int]) -> Stop:
        """The stop behind a run that was recorded; with a reason or filter, if that is why.

        Args:
            run: The run.
            stop: Where the program stands without a reason.
            met: Numbers of the breakpoints whose lines were met inside the run.
        """
        of_lines = self._stops_behind_lines or run.by_session
        if not self.any and not (of_lines and self._breakpoints.by_number):
            return stop
        frames = tuple(user_frames(run.caller, self._recorder.catalog))
        return self._look(stop, [Computed("", "", (run.function.name,), "", frames)], of_lines, met)

    def behind_operation(self, site: int, stop: Stop) -> Stop:
        """The reason to stop behind an eager operation, by its site."""
        self._unseen += 1
        computed = computed_at(self._recorder.catalog, site)
        reason = self._reached([computed], None, [computed] if self._stops_behind_lines else [])
        if reason or self._unseen < _EAGER_AT_ONCE:
            return replace(stop, reason=reason)
        return self.at_rest(stop)

    def at_rest(self, stop: Stop) -> Stop:
        """The reason to stop for what was computed eagerly since it was looked last."""
        return self._look(stop, [], self._stops_behind_lines) if self.any else stop

    def _look(self, stop: Stop, calls: list[Computed], of_lines: bool, met: Container[int] = ()) -> Stop:
        try:
            newest = self._open()
            go = self._go
            first = None if go is None or go.till is None else newest.first_passing(go.till, go.exclude)
            if go is not None and go.till is not None and first is not None:
                return _with_filter(stop, go.till.text, first)
            computed = self._computed(newest.opened)
            # Before the line that makes a session's run it has stopped already.
            lines = [*(calls if self._stops_behind_lines else ()), *computed] if of_lines else []
            return replace(stop, reason=self._reached([*calls, *computed], newest, lines, met))
        except TensordbgError as error:
            # A filter of the user that fails, say: nobody could tell what it missed.
            return replace(stop, reason=str(error))

    def _open(self) -> Newest:
        if self._newest is None:
            self._newest = NewestEvents(self._folder)
        newest = self._newest.since(self._mark)
        self.pass_by()
        return newest

    def _computed(self, opened: NamedEvents) -> list[Computed]:
        """The operations that some events tell of, where anything asks for them."""
        go = self._go
        wanted = bool(self._breakpoints.by_number) or (go is not None and go.place is not None)
        return computed_in(opened) if wanted else []

    def _reached(
        self,
        computed: Iterable[Computed],
        newest: Newest | None,
        lines: Iterable[Computed],
        met: Container[int] = (),
    ) -> str:
        all_of_it = list(computed)
        go = self._go
        place = go.place if go is not None and go.kind is GoKind.UNTIL else None
        if place is not None and any(map(at_line(place), all_of_it)):
            return f"line {place.file}:{place.line}"
        return self._breakpoints.reached(all_of_it, newest, lines, met)


def _with_filter(stop: Stop, text: str, first: int) -> Stop:
    """A stop for a filter that the tensors of an execution pass, which may have run before the run itself."""
    begun = stop.since if stop.execution is None else stop.execution
    return replace(stop, filter=text, passed=first if begun is not None and first < begun else None)
