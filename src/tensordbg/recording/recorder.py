"""The tools of a backend that records: the catalog, the event log, and a stop for faults of our own."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial

from tensordbg.model import NONE
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.guard import guarded
from tensordbg.recording.lines import LineWatch
from tensordbg.recording.log import NO_FUNCTION, EventLog
from tensordbg.recording.pace import Pace
from tensordbg.recording.runs import RunWatch
from tensordbg.recording.saying import say
from tensordbg.recording.value_choice import ValueChoice
from tensordbg.trace.graphs.graph_files import GraphFiles
from tensordbg.trace.program.process import ProcessPlace, place_of
from tensordbg.trace.writer import TraceWriter


class Recorder:
    """Records into one trace. All methods may be called from any thread."""

    def __init__(
        self,
        catalog: Catalog,
        log: EventLog,
        writer: TraceWriter,
        values: ValueChoice | None = None,
        every: int = 1,
    ) -> None:
        """Into a trace that `catalog`, `log` and `writer` belong to.

        Args:
            catalog: Of this process.
            log: Where events go.
            writer: Where all else goes.
            values: Chooses the tensors that are kept whole, where any are.
            every: One step in so many is recorded.
        """
        self.catalog = catalog
        self.log = log
        self._writer = writer
        self._values = values
        self.graphs: GraphFiles | None = None
        """Where the graphs of functions go, if they are asked for."""
        self.watch: RunWatch | None = None
        """What is told of each run, a debugger."""
        self.lines: LineWatch | None = None
        """What is told of the lines at which operations run, a debugger."""
        self.pace: Pace | None = None
        """Chooses the steps, where recording has a budget."""
        self.resting = False
        """Whether nothing is recorded until `wake` is called."""
        self.process = ProcessPlace()
        """This process's place in its run, as the trace has it."""
        self._lock = threading.Lock()
        self._every = every
        self._left_out = 0
        """How many steps that are left out are running."""
        self._steps: dict[object, Iterator[int]] = {}
        self._warned: set[str] = set()
        self._active = True

    @property
    def active(self) -> bool:
        """Whether anything is still recorded."""
        return self._active

    @property
    def records_all(self) -> bool:
        """Whether every step is recorded, with nobody to look at it meanwhile."""
        return self._every == 1 and self.watch is None and self.pace is None

    @property
    def every_eager(self) -> int:
        """One step in so many of an eager operation is recorded, whichever operation; 0 where more is asked of each."""
        return 0 if self.pace is not None or self._values is not None else self._every

    @property
    def rests(self) -> bool:
        """Whether nothing is recorded now."""
        return self.resting or (self.pace is not None and not self.pace.looking)

    def next_step(self, key: object) -> int:
        """How often `key` (a function, an eager site) has run before."""
        return next(self.steps_of(key))

    def steps_of(self, key: object) -> Iterator[int]:
        """Counts how often `key` has run before."""
        steps = self._steps.get(key)
        return self._steps.setdefault(key, itertools.count()) if steps is None else steps

    def passes_by(self, step_key: object) -> bool:
        """Whether a call that begins is sure to be left out and needs nothing more: most are, under a budget."""
        if self.pace is None or not self.pace.passes_by(step_key):
            return False
        next(self._steps[step_key])
        return True

    def passing_training_steps(self, framework: str) -> Callable[[], bool]:
        """Gives what tells of each step of a training, as it begins, whether it is sure to be left out."""
        return partial(self.passes_by, _training_key(framework))

    def wanted_call(self, step_key: object) -> int:
        """The step of a call that begins, `NONE` if it is left out: it must then run inside `left_out`."""
        step = self.next_step(step_key)
        if self.pace is not None:
            self.pace.begin_call(step_key)
        return step if self._wants(step) else NONE

    def begin_call(self, site: int, function: int, step: int, inputs: list[int]) -> int:
        """Records that a call of a function begins whose step is wanted; returns its execution, for `end_call`."""
        if self._values is not None:
            self._values.begin_function(function, step)
        return self.log.begin_execution(site, function, step, inputs)

    def end_call(self, execution: int, *, failed: bool) -> None:
        """Records that a call of a function has ended."""
        if self.pace is not None:
            self.pace.end_call()
        self.log.end_execution(execution, failed)

    def left_out(self) -> AbstractContextManager[None]:
        """Runs what shall not be recorded: nothing is meanwhile, in any thread."""
        return _LeftOut(self)

    def begin_leaving_out(self) -> None:
        """Records nothing until `end_leaving_out`."""
        with self._lock:
            self._left_out += 1
        self.log.pause()

    def end_leaving_out(self) -> None:
        """A call that is left out is over."""
        if self.pace is not None:
            self.pace.end_call()
        with self._lock:
            self._left_out -= 1
        if self._active:  # else the log is another recording's
            self.log.go_on()

    def rest(self) -> None:
        """Records nothing until `wake` is called, in any thread; functions that are traced meanwhile are prepared."""
        if not self.resting:
            self.resting = True
            self.log.pause()

    def wake(self) -> None:
        """Records again."""
        if self.resting:
            self.resting = False
            self.log.go_on()

    def wanted_step(self, key: object) -> int:
        """The step of an eager operation that has run, or of a training, `NONE` if it is left out."""
        step = self.next_step(key)
        return step if self._wants(step) else NONE

    def training_step(self, framework: str) -> int:
        """The step of a framework's training that begins, `NONE` if it is left out."""
        key = _training_key(framework)
        if self.pace is not None:
            self.pace.begin_step(key)
        step = self.wanted_step(key)
        if self._values is not None:
            self._values.begin_training_step(framework, step)
        return step

    def _wants(self, step: int) -> bool:
        chosen = step % self._every == 0 if self.pace is None else self.pace.looking
        return chosen and not self._left_out

    def begin_operation(self, site: int, step: int, inputs: list[int]) -> int:
        """Records that an eager operation has run, and returns its execution; its tensors follow."""
        if self._values is not None:
            self._values.begin_site(site, step)
        return self.log.begin_execution(site, NO_FUNCTION, step, inputs)

    def begin_failed(self, site: int, step: int, inputs: list[int]) -> int:
        """Records that an eager operation has failed, and returns its execution."""
        return self.log.begin_execution(site, NO_FUNCTION, step, inputs, failed=True)

    def warn(self, message: str) -> None:
        """Says something once: in the trace, and in one line on standard error."""
        with self._lock:
            if message in self._warned:
                return
            self._warned.add(message)
        # The writer may be what broke; and a program may have no standard error, or have closed it.
        with contextlib.suppress(Exception):
            self._writer.fact({"warning": message})
        say(f"warning: {message}")

    def fact(self, fact: dict[str, object]) -> None:
        """Notes something in the trace (see `facts` in docs/trace-format.md)."""
        self._writer.fact(fact)

    def note_process(self) -> None:
        """Notes this process's place in its run, if the program has said it since it was last looked for."""
        self.note_place(place_of(os.environ))

    def note_place(self, learned: ProcessPlace) -> None:
        """Notes what has been learned of this process's place in its run."""
        place = self.process.joined(learned)
        if place != self.process:
            self.process = place
            self.fact({"process": place.to_json()})

    def stop(self) -> None:
        """Records nothing from now on."""
        self._active = False
        self.log.close()

    def guard(self, what: str) -> AbstractContextManager[None]:
        """Runs code of ours inside the user's program: a fault in it ends the recording, never the program."""
        return guarded(what, self.fail)

    def fail(self, what: str, error: BaseException) -> None:
        """Ends the recording because of a fault of ours, with one warning; the trace keeps the details."""
        with self._lock:
            if not self._active:
                return
            self._active = False
        self.stop()
        details = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        with contextlib.suppress(Exception):
            self._writer.fact({"fault": details})
        self.warn(f"recording stopped: {what} failed with {type(error).__name__}: {error}; the program goes on")


def _training_key(framework: str) -> tuple[str, str]:
    """The kind of the steps of a framework's training."""
    return ("training", framework)


class _LeftOut:
    """A call that is left out; a generator would take several times as long, in each step that is not recorded."""

    __slots__ = ("_recorder",)

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def __enter__(self) -> None:
        self._recorder.begin_leaving_out()

    def __exit__(self, *_: object) -> None:
        self._recorder.end_leaving_out()
