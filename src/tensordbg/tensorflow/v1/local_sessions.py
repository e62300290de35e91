"""`LocalCLIDebugWrapperSession` and `LocalCLIDebugHook`: the console at each run of a TensorFlow 1 session.

All wrapped sessions of a process share one recording and one console. While a session that dumps runs, that recording
rests; it goes on in another folder, whose name ends with a number. Where the program is debugged already, by
`tdbg debug`, they add nothing; nor where it is only recorded, which they say.
"""

from __future__ import annotations

import atexit
import shutil
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from typing import Any

from tensordbg.backends.tensorflow.sessions.wrapped import ChoosingHook, WrappedSession
from tensordbg.console.faces import choose_face
from tensordbg.console.language.filters import Filters
from tensordbg.debug.debugger import Debugger
from tensordbg.debug.launch import recording_plan
from tensordbg.debug.plan import DebugPlan
from tensordbg.recording.saying import say
from tensordbg.recording.session import Session
from tensordbg.tensorflow.v1.chosen_runs import ChosenRuns, checked_folder
from tensordbg.tensorflow.v1.old_filters import add_old_filter
from tensordbg.tensorflow.v1.session_debugger import SessionDebugger
from tensordbg.tensorflow.v1.turns import TURNS

_FACES = {"readline": True, "curses": False}
"""Whether a prompt for lines is wanted, by the names of the old debugger's faces."""


class LocalCLIDebugWrapperSession(WrappedSession):
    """A session that stops before and behind its runs, and opens the console there."""

    def __init__(
        self,
        sess: Any,
        dump_root: str | None = None,
        ui_type: str = "readline",
        thread_name_filter: str | None = None,
        config_file_path: str | bool | None = False,  # noqa: ARG002  the console has a file of its own
    ) -> None:
        """Wraps a session; its first run is stopped before.

        Args:
            sess: A `Session` or `MonitoredSession`.
            dump_root: Where the trace is made, a folder that is empty or does not exist, and where it stays; by default
                one that is deleted when the program ends.
            ui_type: `readline` for a prompt, `curses` for a full screen.
            thread_name_filter: A regular expression that the names of the threads begin with that are debugged; all by
                default.
            config_file_path: Not used; the console's settings are kept in the user's own folder.

        Raises:
            TypeError: If `sess` is no session.
            ValueError: If `dump_root` is a file or not empty, or there is no such `ui_type`.
        """
        super().__init__(sess, _debugging.runs, thread_name_filter)
        _debugging.begin(_checked_root(dump_root), _face_named(ui_type))

    def add_tensor_filter(self, filter_name: str, tensor_filter: Any) -> None:
        """Names a filter for `run -f` and `lt -f`: a function of a datum and an array."""
        add_old_filter(_debugging.filters, filter_name, tensor_filter)


class LocalCLIDebugHook(ChoosingHook):
    """A wrapper for `MonitoredSession` and estimators, as a hook."""

    def __init__(
        self,
        ui_type: str = "readline",
        dump_root: str | None = None,
        thread_name_filter: str | None = None,
        config_file_path: str | bool | None = None,  # noqa: ARG002
    ) -> None:
        """Nothing happens before the first run; the arguments are those of `LocalCLIDebugWrapperSession`."""

        def begin() -> ChosenRuns:
            _debugging.begin(_checked_root(dump_root), _face_named(ui_type))
            return _debugging.runs

        super().__init__(begin, thread_name_filter)

    def add_tensor_filter(self, filter_name: str, tensor_filter: Any) -> None:
        """Names a filter for `run -f` and `lt -f`: a function of a datum and an array."""
        add_old_filter(_debugging.filters, filter_name, tensor_filter)


class _Debugging:
    """What the wrapped sessions of this process share."""

    def __init__(self) -> None:
        self.runs = _AnnouncedRuns(self)
        self._filters = Filters()
        self._begun = False
        self._session: Session | None = None
        self._root: Path | None = None
        self._plain = True
        self._count = 0
        self.running: set[int] = set()
        """See `Holder`."""

    @property
    def filters(self) -> Filters:
        """Those of the console."""
        other = Session.current()
        watch = None if other is None else other.recorder.watch
        return watch.program.set.filters if isinstance(watch, Debugger) else self._filters

    def begin(self, root: Path | None, plain: bool) -> None:
        """Records from now on, and stops at the runs that are announced."""
        with TURNS.lock:
            other = TURNS.other_recording()
            if other is not None:
                _say_no_console(other)
            if self._begun:
                return
            self._root, self._plain, self._begun = root, plain, True
            if TURNS.free:
                self.go_on()

    def go_on(self) -> None:
        """Records again, where a session that dumps has had its turn, or something else has recorded."""
        with TURNS.lock:
            if self._begun and self._session is None and TURNS.other_recording() is None:
                TURNS.take(self)
                self._start()

    def rest(self) -> None:
        """See `Holder`."""
        session, self._session = self._session, None
        if session is not None:
            session.stop()

    def _start(self) -> None:
        self._count += 1
        root = self._root
        if root is not None and self._count > 1:
            root = root.with_name(f"{root.name}-{self._count}")
        folder = Path(tempfile.mkdtemp(prefix="tfdbg_")) if root is None else root
        program = Path(sys.argv[0]).stem if sys.argv and sys.argv[0] else "program"
        session = Session(folder, recording_plan(DebugPlan(), Path.cwd()), program)
        face = choose_face(None, self._plain)
        debugger = SessionDebugger(session, face, self._filters, wants=self.runs.take)
        session.recorder.watch = debugger
        session.give_way = partial(TURNS.give_way, self)
        debugger.interrupt.install()
        session.start()
        self._session = session
        atexit.register(_end, self, session, root is None)


class _AnnouncedRuns(ChosenRuns):
    """Has the recording go on before a run."""

    def __init__(self, debugging: _Debugging) -> None:
        self._debugging = debugging

    def choose(self, fetches: Any, feed_dict: Any) -> None:
        """See `ChosenRuns`."""
        self._debugging.go_on()
        self._debugging.running.add(threading.get_ident())
        super().choose(fetches, feed_dict)

    def forget(self) -> None:
        """See `ChosenRuns`."""
        self._debugging.running.discard(threading.get_ident())
        super().forget()


_debugging = _Debugging()


def _say_no_console(other: Session) -> None:
    """Says where the runs go of a program that is recorded; where it is debugged already, its console is there."""
    if not isinstance(other.recorder.watch, Debugger):
        say(
            f"LocalCLIDebugWrapperSession opens no console, as this process is being recorded already: its runs are in "
            f"{other.folder}; run the program with `tdbg debug` instead"
        )


def _end(debugging: _Debugging, session: Session, temporary: bool) -> None:
    if session is Session.current():
        debugging.rest()
    if temporary:
        shutil.rmtree(session.folder, ignore_errors=True)


def _face_named(ui_type: str) -> bool:
    if ui_type not in _FACES:
        message = f"ui_type is {ui_type!r}, but must be one of {', '.join(_FACES)}; choose one"
        raise ValueError(message)
    return _FACES[ui_type]


def _checked_root(dump_root: str | None) -> Path | None:
    return checked_folder(dump_root, "dump_root") if dump_root else None
