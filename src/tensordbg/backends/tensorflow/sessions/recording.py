"""Records the runs of TensorFlow 1 sessions: each is an execution of a function of what it feeds and fetches."""

from __future__ import annotations

import contextlib
import weakref
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow.failures.failed_operation import failed_in_function
from tensordbg.backends.tensorflow.sessions.graph import WatchedNode
from tensordbg.backends.tensorflow.sessions.variables import puts_out_references
from tensordbg.backends.tensorflow.sessions.watched import Behind, Call, SessionRun
from tensordbg.backends.tensorflow.stack_keys import StackKey, stack_key
from tensordbg.backends.tensorflow.stacks import Stacks
from tensordbg.model import NONE, CallKind, Site
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.recording.failure import note_failure
from tensordbg.recording.log import UNKNOWN_INPUT
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import DebuggedCall, RunWatch

WATCH_OP = "TensordbgWatch"


class RecordedSessions:
    """Has the runs of sessions recorded into one trace."""

    doing = "recording"
    done = "recorded"

    def __init__(self, recorder: Recorder, stacks: Stacks) -> None:
        self._recorder = recorder
        self._stacks = stacks
        self._call_sites: dict[tuple[str, StackKey], int] = {}

    @property
    def active(self) -> bool:
        """Whether anything is still recorded."""
        return self._recorder.active

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends the recording."""
        return self._recorder.guard(what)

    def warn(self, message: str) -> None:
        """In the trace and on standard error."""
        self._recorder.warn(message)

    def begin(self, this: Any, run: SessionRun, caller: FrameType) -> Call:
        """Records that a run begins; without its tensors where this step is left out."""
        watch = self._recorder.watch
        if watch is None:
            return RecordedCall(self._recorder, self._begin(this, run, caller), run)
        told = DebuggedCall(run.description.function, True, caller, this)
        execution = self._begin(this, run, caller) if watch.before(told) else NONE
        return WatchedCall(RecordedCall(self._recorder, execution, run), watch, told)

    def _begin(self, this: Any, run: SessionRun, caller: FrameType) -> int:
        _tell(this, run)
        function = run.description.function
        step = self._recorder.wanted_call(("session", run.number))
        if step == NONE:
            return NONE
        self._recorder.catalog.use_function(function.function)
        site = self._call_site(function.name, caller)
        inputs = [UNKNOWN_INPUT] * len(function.arguments)
        return self._recorder.begin_call(site, function.function, step, inputs)

    def _call_site(self, name: str, caller: FrameType) -> int:
        catalog = self._recorder.catalog
        key = stack_key(caller)
        site = self._call_sites.get((name, key))
        if site is None:
            with catalog.lock:
                site = catalog.new_sites(1)
                stack = self._stacks.current(key, caller)
                catalog.add_sites(
                    [Site(site, name, "Session.run", NONE, stack, call=CallKind.CALL, framework=TENSORFLOW)]
                )
            self._call_sites[name, key] = site
        else:
            catalog.use_site(site)
        return site


class RecordedCall:
    """One run that is recorded, or left out."""

    def __init__(self, recorder: Recorder, execution: int, run: SessionRun) -> None:
        self._recorder = recorder
        self.execution = execution
        self._left_out = contextlib.ExitStack()
        self._function = run.description.function.runtime_name
        self.operation = f"{WATCH_OP}(run={run.number})"
        self.behind = _behind(run)
        if execution == NONE:
            self.operation, self.behind = "", None
            self._left_out.enter_context(recorder.left_out())

    def end(self, error: BaseException | None) -> None:
        """Records that it has ended."""
        self._left_out.close()
        if self.execution != NONE:
            self._recorder.end_call(self.execution, failed=error is not None)
            if error is not None:
                raw = str(getattr(error, "message", error))
                tell = failed_in_function(self._recorder.catalog, self._function, self.execution, raw)
                note_failure(error, tell)


class WatchedCall:
    """One run of which a debugger is told."""

    def __init__(self, call: RecordedCall, watch: RunWatch, run: DebuggedCall) -> None:
        self._call = call
        self._watch = watch
        self._run = run
        self.operation = call.operation
        self.behind = call.behind

    def end(self, error: BaseException | None) -> None:
        """Records that it has ended, and tells so."""
        self._call.end(error)
        self._watch.after(self._run, self._call.execution, error)


def _tell(this: Any, run: SessionRun) -> None:
    """Tells the watches of a kind of run."""
    if RecordedSessions.doing in run.told:
        return
    slots = [
        WatchedNode(operation.name, site, "", puts_out_references(operation))
        for operation, site in run.description.slots
    ]
    for number, nodes in ((run.number, run.description.watched), (run.behind, slots)):
        _native.describe_run(
            number,
            [node.name for node in nodes],
            [node.site for node in nodes],
            [node.path for node in nodes],
            [node.reference + 2 * node.single for node in nodes],
        )
        weakref.finalize(this, _native.forget_run, number)
    run.told.add(RecordedSessions.doing)


def _behind(run: SessionRun) -> Behind | None:
    """Reads the slots that a run has left."""
    slots = run.description.slots
    return Behind(f"{WATCH_OP}(run={run.behind})", [operation._c_op for operation, _ in slots]) if slots else None  # noqa: SLF001
