"""`DumpingDebugWrapperSession` and `DumpingDebugHook`: a TensorFlow 1 session whose runs are recorded, with elements.

Where TensorFlow's own made a folder of files for each run, all runs are in one trace here, until a session with another
folder runs: what comes after that is in a further trace of the folder. Where the process is being recorded by something
else, the runs are in that trace.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from tensordbg.backends.tensorflow.sessions.wrapped import ChoosingHook, WrappedSession
from tensordbg.console.running import Recorded
from tensordbg.debug.tensors import wanted_tensors
from tensordbg.model import Detail
from tensordbg.recording.plan import Plan
from tensordbg.recording.runs import DebuggedCall
from tensordbg.recording.saying import say
from tensordbg.recording.session import Session, seal
from tensordbg.recording.settings import settings_of_program
from tensordbg.recording.value_filter import ValueFilter
from tensordbg.tensorflow.v1.chosen_runs import ChosenRuns, checked_folder
from tensordbg.tensorflow.v1.turns import TURNS
from tensordbg.trace.writer import new_trace_folder

_LIMIT = "TFDBG_DISK_BYTES_LIMIT"
_LIMIT_BYTES = 100 * 10**9
"""What TensorFlow's own takes of the disk where the variable of this name says nothing."""


class WatchOptions:
    """Which tensors of a run are recorded; patterns match from the beginning."""

    def __init__(
        self,
        debug_ops: list[str] | str | None = None,
        node_name_regex_allowlist: str | None = None,
        op_type_regex_allowlist: str | None = None,
        tensor_dtype_regex_allowlist: str | None = None,
        tolerate_debug_op_creation_failures: bool = False,
    ) -> None:
        """All tensors by default; `debug_ops` are not needed here, as each tensor is measured and kept."""
        self.debug_ops = debug_ops or ["DebugIdentity"]
        self.node_name_regex_allowlist = node_name_regex_allowlist
        self.op_type_regex_allowlist = op_type_regex_allowlist
        self.tensor_dtype_regex_allowlist = tensor_dtype_regex_allowlist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures


WatchFunction = Callable[[Any, Any], "WatchOptions | tuple[Any, ...]"]
"""(fetches, feed_dict) -> which tensors are recorded of the run."""


class DumpingDebugWrapperSession(WrappedSession):
    """A session whose runs are recorded into a trace."""

    def __init__(
        self,
        sess: Any,
        session_root: str,
        watch_fn: WatchFunction | None = None,
        thread_name_filter: str | None = None,
        pass_through_operrors: bool | None = None,  # noqa: ARG002  errors always take their course
    ) -> None:
        """Wraps a session.

        Args:
            sess: A `Session` or `MonitoredSession`.
            session_root: The folder in which the trace is made; it must be empty or not exist.
            watch_fn: Called before each run with its fetches and feeds, says which tensors of it are recorded.
            thread_name_filter: A regular expression that the names of the threads begin with whose runs are recorded.
            pass_through_operrors: Not used: what a run raises is raised.

        Raises:
            TypeError: If `sess` is no session, or `watch_fn` can't be called.
            ValueError: If `session_root` is a file or not empty.
            RecordingError: If no trace can be written there.
        """
        if watch_fn is not None and not callable(watch_fn):
            raise TypeError("watch_fn is not callable")
        self._dump = _Dump(checked_folder(session_root, "session_root"), watch_fn)
        super().__init__(sess, self._dump, thread_name_filter)
        self._dump.begin()

    def close(self) -> None:
        """Closes the session, and the trace."""
        self._sess.close()
        self._dump.end()


class DumpingDebugHook(ChoosingHook):
    """A wrapper for `MonitoredSession` and estimators, as a hook."""

    def __init__(
        self, session_root: str, watch_fn: WatchFunction | None = None, thread_name_filter: str | None = None
    ) -> None:
        """Nothing is written before the first run; the arguments are those of `DumpingDebugWrapperSession`."""

        def begin() -> _Dump:
            dump = _Dump(checked_folder(session_root, "session_root"), watch_fn)
            dump.begin()
            return dump

        super().__init__(begin, thread_name_filter)


class _Dump:
    """One recording; a `RunChooser` and a `RunWatch`."""

    each_operation = False

    def __init__(self, root: Path, watch_fn: WatchFunction | None) -> None:
        self._root = root
        self._watch_fn = watch_fn
        self._runs = ChosenRuns()
        self._session: Session | None = None
        self._folders: list[Path] = []
        self._ended = False
        self._has_warned = False
        self.running: set[int] = set()
        """See `Holder`."""

    def begin(self) -> None:
        """Records from now on, or where another session has its turn, from the first run on."""
        with TURNS.lock:
            if TURNS.free and not self._is_recorded():
                self._go_on()
        atexit.register(self.end)

    def _is_recorded(self) -> bool:
        """Whether all runs go into the trace of something else; says so once."""
        other = TURNS.other_recording()
        if other is not None and not self._has_warned:
            self._has_warned = True
            more = "" if other.plan.detail is Detail.VALUES else ", without elements (`--detail values` adds them)"
            say(
                f"{self._root}: no trace is made there, as this process is being recorded already: the runs are in "
                f"{other.folder}{more}"
            )
        return other is not None

    def _go_on(self) -> None:
        TURNS.take(self)
        program = Path(sys.argv[0]).stem if sys.argv and sys.argv[0] else "program"
        budget = int(os.environ.get(_LIMIT) or _LIMIT_BYTES)
        plan = Plan(Detail.VALUES, ValueFilter(budget=budget), allow=settings_of_program().allow)
        self._session = session = Session(new_trace_folder(self._root, program), plan, program)
        session.recorder.watch = self
        session.give_way = partial(TURNS.give_way, self)
        self._folders.append(session.folder)
        session.start()

    def rest(self) -> None:
        """See `Holder`."""
        session, self._session = self._session, None
        if session is not None:
            session.stop()

    def end(self) -> None:
        """Ends the recording; does nothing the second time."""
        with TURNS.lock:
            self._ended = True
            self.rest()
            TURNS.leave(self)
        folders, self._folders = self._folders, []
        for folder in folders:
            seal(folder)

    def choose(self, fetches: Any, feed_dict: Any) -> None:
        """See `RunChooser`."""
        with TURNS.lock:
            if self._session is None and not self._ended and not self._is_recorded():
                self._go_on()
            self.running.add(threading.get_ident())
        said = None if self._watch_fn is None else self._watch_fn(fetches, feed_dict)
        if self._session is not None and said is not None:
            self._session.choose_tensors(wanted_tensors(_recorded(said)))
        self._runs.choose(fetches, feed_dict)

    def forget(self) -> None:
        """See `RunChooser`."""
        self.running.discard(threading.get_ident())
        self._runs.forget()

    def ran(self, execution: int) -> None:
        """See `RunWatch`."""

    def before(self, run: DebuggedCall) -> bool:
        """See `RunWatch`."""
        return self._runs.take(run)

    def after(self, run: DebuggedCall, execution: int, error: BaseException | None) -> None:
        """See `RunWatch`."""

    def operation(self, site: int, execution: int, caller: FrameType) -> None:
        """See `RunWatch`."""


def _recorded(said: WatchOptions | tuple[Any, ...]) -> Recorded:
    """What a function says of a run: options, or as once a tuple of the operations and three patterns."""
    if isinstance(said, tuple):
        said = WatchOptions(*said)
    patterns = (said.node_name_regex_allowlist, said.op_type_regex_allowlist, said.tensor_dtype_regex_allowlist)
    return Recorded(*(pattern or "" for pattern in patterns))
