"""Has the runs of TensorFlow 1 sessions watched.

A run is given one more option: TensorFlow's own debugger is to watch all its tensors, with operations of ours. The
runtime puts the watches into the graph that it has already pruned, placed and optimised for this kind of run; the
program's graph, and what is computed, stay as they are.
"""

from __future__ import annotations

import itertools
import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol

from tensordbg.backends.tensorflow.functions.instrument import Guarded, guarded_by, listed
from tensordbg.backends.tensorflow.functions.legacy import LegacyFunctions
from tensordbg.backends.tensorflow.internals import pywrap_tf_session, session
from tensordbg.backends.tensorflow.own_frames import unseen
from tensordbg.backends.tensorflow.raised import check_within, raise_own
from tensordbg.backends.tensorflow.sessions.calls import calls_kept_apart, made_sessions, with_inlined_calls
from tensordbg.backends.tensorflow.sessions.functions import SessionFunctions, saves_iterators
from tensordbg.backends.tensorflow.sessions.graph import RunDescription, RunKey, SessionGraphs
from tensordbg.backends.tensorflow.sessions.library import python_name
from tensordbg.backends.tensorflow.sessions.metadata import without_watches
from tensordbg.backends.tensorflow.sessions.variables import SessionVariables
from tensordbg.recording.catalog import Catalog

# A scheme that TensorFlow's debugger does not know, so that it sends nothing anywhere.
_NOWHERE = "tensordbg://"

# What the runtime says when it can't put a watch in; nothing has run then.
_REFUSALS = ("Failed to create debug node", "Failed to create Copy/CopyHost node", "registered 'Tensordbg")

# What begins a run in ways that take no options, and what the program calls.
_OTHERS = {
    "TF_SessionPRunSetup_wrapper": "partial_run",
    "TF_SessionMakeCallable": "_make_callable_from_options",
}

_NEW_OPTIONS = "TF_NewSessionOptions"

_numbers = itertools.count(1)


@dataclass(frozen=True, eq=False)
class SessionRun:
    """One kind of run of one session."""

    number: int
    """By which the watches know it."""
    behind: int
    """By which the watches know what is run behind it."""
    graph: Any
    """The Python graph; it is only read."""
    key: RunKey
    description: RunDescription
    told: set[str] = field(default_factory=set)
    """The kinds of observers whose watches have been told of it."""
    options: dict[tuple[str, ...], Any] = field(default_factory=dict)
    """Buffers with the options of runs that ask for none, by the operations that watch."""


@dataclass(frozen=True)
class Behind:
    """A run behind a run of the program, for what cannot be watched in it."""

    operation: str
    """What watches it."""
    targets: list[Any]
    """The operations, of the program's own, which write nothing."""


class Call(Protocol):
    """One run that an observer looks at."""

    operation: str
    """What watches all tensors; empty where it looks at none this time."""
    behind: Behind | None
    """What is to be run once it has gone well."""

    def end(self, error: BaseException | None) -> None:
        """The run has ended, or has raised an error."""


class Observer(Guarded, Protocol):
    """Something for which runs are watched."""

    doing: str
    """What it does with runs: recording."""
    done: str
    """What it has done with them: recorded."""

    @property
    def active(self) -> bool:
        """Whether it still looks at any."""

    def warn(self, message: str) -> None:
        """Says something once."""

    def begin(self, this: Any, run: SessionRun, caller: FrameType) -> Call:
        """A run of the session `this` begins, for the code of TensorFlow in a frame."""


@dataclass
class _Known:
    """What is known of one session."""

    variables: SessionVariables
    runs: dict[RunKey, SessionRun] = field(default_factory=dict)
    left_alone: str = ""
    """Why it can't be watched."""


class _FoundError(Exception):
    """On its way through `_do_call`, which would look for names of nodes in a long message, and write around it."""

    def __init__(self, message: str) -> None:
        self.message = message


class Sessions:
    """The hook into sessions; it outlives a recording, as the sessions do."""

    def __init__(
        self, catalog: Catalog, graphs: SessionGraphs, functions: SessionFunctions, legacy: LegacyFunctions
    ) -> None:
        self._catalog = catalog
        self._graphs = graphs
        self._functions = functions
        self._legacy = legacy
        self._observers: tuple[Observer, ...] = ()
        self._known: weakref.WeakKeyDictionary[Any, _Known] = weakref.WeakKeyDictionary()
        self._to_clean: set[int] = set()
        self._plain_run: Callable[..., Any]
        self._plain_call: Callable[..., Any]
        self._plain_others: dict[str, Callable[..., Any]] = {}
        self._plain_read: Callable[[Any], bytes]
        self._plain_options: Callable[..., Any]
        self._made_before: weakref.WeakSet[Any] = weakref.WeakSet()
        self._inside = threading.local()

    def add(self, observer: Observer) -> None:
        """Has an observer see all runs from now on, also of sessions that there are already."""
        if not self._observers:
            self._install()
        self._observers = (*self._observers, observer)

    def remove(self, observer: Observer) -> None:
        """Has it see none from now on."""
        self._observers = tuple(each for each in self._observers if each is not observer)
        if not self._observers:
            self._uninstall()

    def _install(self) -> None:
        self._plain_run = run = session.BaseSession._call_tf_sessionrun  # noqa: SLF001  described in internals.py
        self._plain_others = {name: getattr(pywrap_tf_session, name) for name in _OTHERS}

        def watched_run(this: Any, *call: Any) -> Any:
            observers = self._active()
            if not observers:
                return run(this, *call)
            return self._run(observers, run, this, call)

        def other_way(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
            def begin(*args: Any) -> Any:
                for each in self._active():
                    each.warn(f"what a session runs by {_OTHERS[name]} can't be {each.done}; its other runs are")
                return plain(*args)

            return unseen(begin)

        self._plain_call = call = session.BaseSession._do_call  # noqa: SLF001

        def do_call(this: Any, *args: Any) -> Any:
            outer, self._inside.call = getattr(self._inside, "call", False), True
            try:
                return call(this, *args)
            except _FoundError as error:
                raise_own(error)
                raise
            finally:
                self._inside.call = outer

        session.BaseSession._call_tf_sessionrun = unseen(watched_run)  # noqa: SLF001
        session.BaseSession._do_call = unseen(do_call)  # noqa: SLF001
        for name, plain in self._plain_others.items():
            setattr(pywrap_tf_session, name, other_way(name, plain))
        self._plain_options = new_options = getattr(pywrap_tf_session, _NEW_OPTIONS)

        def options(target: Any = None, config: Any = None) -> Any:
            with guarded_by(self._active(), "making a session"):
                config = config if target else with_inlined_calls(config)
            return new_options(target=target, config=config)

        setattr(pywrap_tf_session, _NEW_OPTIONS, unseen(options))
        self._legacy.install()
        self._made_before = made_sessions()
        self._functions.install(self._active, self._made_before)
        self._plain_read = read = pywrap_tf_session.TF_GetBuffer
        pywrap_tf_session.TF_GetBuffer = unseen(lambda buffer: self._read(read, buffer))

    def _uninstall(self) -> None:
        session.BaseSession._call_tf_sessionrun = self._plain_run  # noqa: SLF001
        session.BaseSession._do_call = self._plain_call  # noqa: SLF001
        plain = {**self._plain_others, "TF_GetBuffer": self._plain_read, _NEW_OPTIONS: self._plain_options}
        for name, function in plain.items():
            setattr(pywrap_tf_session, name, function)

    def _active(self) -> tuple[Observer, ...]:
        return tuple(each for each in self._observers if each.active)

    def _run(self, observers: tuple[Observer, ...], plain: Callable[..., Any], this: Any, call: tuple[Any, ...]) -> Any:
        run = None
        with guarded_by(observers, "describing a session's run"):
            run = self._kind_of_run(observers, this, call)
        if run is None:
            return plain(this, *call)
        begun: list[Call] = []
        for observer in observers:
            with observer.guard(f"{observer.doing} {run.description.function.name}"):
                begun.append(observer.begin(this, run, sys._getframe(2)))  # noqa: SLF001
        operations = tuple(each.operation for each in begun if each.operation)
        try:
            result = self._run_watched(run, operations, plain, this, call)
            found = None
            with guarded_by(observers, f"looking at what {run.description.function.name} left"):
                for behind in (each.behind for each in begun if each.behind is not None):
                    found = self._run_behind(run, behind, plain, this) or found
            if found is not None:
                self._raise_found(found)
        except BaseException as error:
            for each in begun:
                each.end(error)
            raise
        for each in begun:
            each.end(None)
        return result

    def _run_watched(
        self, run: SessionRun, operations: tuple[str, ...], plain: Callable[..., Any], this: Any, call: tuple[Any, ...]
    ) -> Any:
        if not operations:
            return plain(this, *call)
        options = self._options(run, operations, call[0])
        if call[4] is not None:
            self._to_clean.add(id(call[4]))
        try:
            return plain(this, options, *call[1:])
        except Exception as error:
            self._to_clean.discard(id(call[4]))
            self._raise_found(error)
            if not self._refused(this, error):
                raise
            return plain(this, *call)
        finally:
            if call[0] is not None:
                pywrap_tf_session.TF_DeleteBuffer(options)

    def _run_behind(self, run: SessionRun, behind: Behind, plain: Callable[..., Any], this: Any) -> Exception | None:
        """The error of a check that found something in it; None where all is well."""
        import tensorflow as tf  # imported by the program already

        options = self._options(run, (behind.operation,), None)
        try:
            plain(this, options, {}, [], behind.targets, None)
        except tf.errors.OpError as error:
            # Else another thread may have closed the session, or taken the variables away.
            return error if check_within(error) is not None else None
        return None

    def _raise_found(self, error: Exception) -> None:
        """Raises what a check has found, where an error holds that."""
        if check_within(error) is not None and getattr(self._inside, "call", False):
            raise _FoundError(error.message) from None  # type: ignore[attr-defined]
        raise_own(error)

    def _refused(self, this: Any, error: Exception) -> bool:
        """Whether the runtime ran nothing because it can't put our watches in; the session is then left alone."""
        refused = any(words in str(error) for words in _REFUSALS)
        if refused:
            self._known[this].left_alone = "TensorFlow can't watch what runs on its devices"
            self._say_left_alone(self._active(), self._known[this])
        return refused

    def _say_left_alone(self, observers: tuple[Observer, ...], known: _Known) -> None:
        for each in observers:
            each.warn(f"a session is not {each.done}: {known.left_alone}")

    def _kind_of_run(self, observers: tuple[Observer, ...], this: Any, call: tuple[Any, ...]) -> SessionRun | None:
        """What is known of runs like this one; None where it can't be watched."""
        known = self._known.get(this)
        if known is None:
            with self._catalog.lock:
                known = self._known.get(this) or self._first_seen(this)
        if known.left_alone:
            self._say_left_alone(observers, known)
            return None
        given, feeds, fetches, targets, _ = call
        if given is not None and _options_from(self._plain_read(given)).debug_options.debug_tensor_watch_opts:
            for each in observers:
                each.warn(f"a session's run that watches tensors itself, with debug_options, is not {each.done}")
            return None
        name = pywrap_tf_session.TF_OperationName
        key = RunKey(
            tuple((name(feed.oper), feed.index) for feed in feeds),
            tuple((name(fetch.oper), fetch.index) for fetch in fetches),
            tuple(name(target) for target in targets),
        )
        run = known.runs.get(key.in_any_order())
        if run is None:
            with self._catalog.lock:
                run = known.runs.get(key.in_any_order())
                if run is None:
                    description = self._graphs.describe(this.graph, key, known.variables)
                    run = SessionRun(next(_numbers), next(_numbers), this.graph, key, description)
                    known.runs[key.in_any_order()] = run
                    if this in self._made_before:
                        _say_uninlined(observers, run)
                        self._say_plain(observers, this, "their session was made before: ", "; begin earlier")
                    elif saves_iterators(this.graph):
                        self._say_plain(observers, this, "the program saves how far it has read it: ", "")
        return run

    def _say_plain(self, observers: tuple[Observer, ...], this: Any, why: str, advice: str) -> None:
        """Names the functions beside its graph that a session has as they are without us."""
        names = [python_name(name) for name in self._functions.plain_ones(this)]
        for each in observers if names else ():
            each.warn(
                f"what the functions of an input pipeline compute can't be {each.done}, as {why}{listed(names)}{advice}"
            )

    def _first_seen(self, this: Any) -> _Known:
        known = self._known[this] = _Known(SessionVariables(self._catalog))
        if this.sess_str:
            known.left_alone = f"it runs on the server at {this.sess_str.decode(errors='replace')!r}, not here"
        return known

    def _options(self, run: SessionRun, operations: tuple[str, ...], given: Any) -> Any:
        """The options of a run with our watches."""
        if given is not None:
            return _watch_all(operations, self._plain_read(given))
        known = run.options.get(operations)
        if known is None:
            known = run.options[operations] = _watch_all(operations, b"")
        return known

    def _read(self, plain: Callable[[Any], bytes], buffer: Any) -> bytes:
        """What a buffer holds; of the metadata of a run what it would hold without us."""
        serialized = plain(buffer)
        if id(buffer) in self._to_clean:
            self._to_clean.discard(id(buffer))
            with guarded_by(self._active(), "reading the metadata of a session's run"):
                return without_watches(serialized)
        return serialized


def _say_uninlined(observers: tuple[Observer, ...], run: SessionRun) -> None:
    """Names the functions that a session keeps apart, as it was made before anybody looked."""
    names = calls_kept_apart(run.graph, run.key)
    for each in observers if names else ():
        each.warn(
            f"what {listed(names)} computes inside can't be {each.done}, as a session fetches it that was made before; "
            "begin earlier"
        )


def _options_from(serialized: bytes) -> Any:
    import tensorflow as tf  # imported by the program already

    return tf.compat.v1.RunOptions.FromString(serialized)


def _watch_all(operations: tuple[str, ...], serialized: bytes) -> Any:
    """A buffer with options, to which the watching of all tensors is added."""
    options = _options_from(serialized)
    # Tensors that match no other watch are looked at only where there is some other.
    for name, slot in (("*", -1), ("tensordbg", 0)):
        watch = options.debug_options.debug_tensor_watch_opts.add()
        watch.node_name = name
        watch.output_slot = slot
        watch.debug_ops.extend(operations)
        watch.debug_urls.append(_NOWHERE)
    return pywrap_tf_session.TF_NewBufferFromString(options.SerializeToString())
