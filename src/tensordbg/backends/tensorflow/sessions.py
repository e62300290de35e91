"""Records the runs of TensorFlow 1 sessions.

A run is given one more option: TensorFlow's own debugger is to watch all its tensors, with an operation of ours. The
runtime puts the watches into the graph that it has already pruned, placed and optimised for this kind of run; the
program's graph, and what is computed, stay as they are.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow.internals import pywrap_tf_session, session
from tensordbg.backends.tensorflow.sessions_graph import RunDescription, RunKey, SessionGraphs
from tensordbg.backends.tensorflow.sessions_metadata import without_watches
from tensordbg.backends.tensorflow.sessions_variables import SessionVariables
from tensordbg.backends.tensorflow.stacks import StackKey, Stacks, stack_key
from tensordbg.model import NONE, CallKind, Site
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.log import UNKNOWN_INPUT
from tensordbg.recording.recorder import Recorder

WATCH_OP = "TensordbgWatch"

# A scheme that TensorFlow's debugger does not know, so that it sends nothing anywhere.
_NOWHERE = "tensordbg://"

# What the runtime says when it can't put a watch in; nothing has run then.
_REFUSALS = ("Failed to create debug node", "Failed to create Copy/CopyHost node", f"registered '{WATCH_OP}'")

# What begins a run in ways that take no options, and what the program calls.
_OTHERS = {
    "TF_SessionPRunSetup_wrapper": "partial_run",
    "TF_SessionMakeCallable": "_make_callable_from_options",
}

_numbers = itertools.count(1)


@dataclass(frozen=True)
class _Run:
    """One kind of run of one session."""

    number: int
    """By which the watches know it."""
    description: RunDescription
    options: Any
    """A buffer with the options of a run that asks for none."""


@dataclass
class _Known:
    """What is known of one session."""

    variables: SessionVariables
    runs: dict[RunKey, _Run] = field(default_factory=dict)
    left_alone: bool = False
    """Whether it can't be watched."""


class Sessions:
    """The hook into sessions."""

    def __init__(self, catalog: Catalog, graphs: SessionGraphs, stacks: Stacks) -> None:
        self._catalog = catalog
        self._graphs = graphs
        self._stacks = stacks
        self._known: weakref.WeakKeyDictionary[Any, _Known] = weakref.WeakKeyDictionary()
        self._call_sites: dict[tuple[str, StackKey], int] = {}
        self._to_clean: set[int] = set()
        self._recorder: Recorder
        self._plain_run: Callable[..., Any]
        self._plain_others: dict[str, Callable[..., Any]] = {}
        self._plain_read: Callable[[Any], bytes]

    def install(self, recorder: Recorder) -> None:
        """Records all runs from now on, also of sessions that there are already."""
        self._recorder = recorder
        self._plain_run = run = session.BaseSession._call_tf_sessionrun  # noqa: SLF001  described in internals.py
        self._plain_others = {name: getattr(pywrap_tf_session, name) for name in _OTHERS}

        def recorded_run(this: Any, *call: Any) -> Any:
            return self._run(run, this, call) if recorder.active else run(this, *call)

        def other_way(name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
            def begin(*args: Any) -> Any:
                recorder.warn(f"what a session runs by {_OTHERS[name]} can't be recorded; its other runs are")
                return plain(*args)

            return begin

        session.BaseSession._call_tf_sessionrun = recorded_run  # noqa: SLF001
        for name, plain in self._plain_others.items():
            setattr(pywrap_tf_session, name, other_way(name, plain))
        self._plain_read = read = pywrap_tf_session.TF_GetBuffer
        pywrap_tf_session.TF_GetBuffer = lambda buffer: self._read(read, buffer)

    def uninstall(self) -> None:
        """Takes the hook out again."""
        session.BaseSession._call_tf_sessionrun = self._plain_run  # noqa: SLF001
        for name, plain in {**self._plain_others, "TF_GetBuffer": self._plain_read}.items():
            setattr(pywrap_tf_session, name, plain)

    def _run(self, plain: Callable[..., Any], this: Any, call: tuple[Any, ...]) -> Any:
        recorder = self._recorder
        run = options = None
        with recorder.guard("describing a session's run"):
            run = self._kind_of_run(this, call)
            options = None if run is None else self._options(run, call[0])
        if run is None or options is None:
            return plain(this, *call)
        execution = NONE
        with recorder.guard(f"recording {run.description.function.name}"):
            execution = self._begin(run)
        if execution == NONE:
            if options is not run.options:
                pywrap_tf_session.TF_DeleteBuffer(options)
            with recorder.left_out():
                return plain(this, *call)
        if call[4] is not None:
            self._to_clean.add(id(call[4]))
        failed = True
        try:
            result = plain(this, options, *call[1:])
            failed = False
        except Exception as error:
            self._to_clean.discard(id(call[4]))
            if not self._refused(this, error):
                raise
            result = plain(this, *call)
            failed = False
        finally:
            recorder.log.end_execution(execution, failed)
            if options is not run.options:
                pywrap_tf_session.TF_DeleteBuffer(options)
        return result

    def _refused(self, this: Any, error: Exception) -> bool:
        """Whether the runtime ran nothing because it can't put our watches in; the session is then left alone."""
        refused = any(words in str(error) for words in _REFUSALS)
        if refused:
            self._leave_alone(this, "TensorFlow can't watch what runs on its devices")
        return refused

    def _leave_alone(self, this: Any, why: str) -> None:
        self._known[this].left_alone = True
        self._recorder.warn(f"a session is not recorded: {why}")

    def _kind_of_run(self, this: Any, call: tuple[Any, ...]) -> _Run | None:
        """What is known of runs like this one; None where the session can't be watched."""
        known = self._known.get(this)
        if known is None:
            with self._catalog.lock:
                known = self._known.get(this) or self._first_seen(this)
        if known.left_alone:
            return None
        _, feeds, fetches, targets, _ = call
        name = pywrap_tf_session.TF_OperationName
        key = RunKey(
            tuple((name(feed.oper), feed.index) for feed in feeds),
            tuple((name(fetch.oper), fetch.index) for fetch in fetches),
            tuple(name(target) for target in targets),
        )
        run = known.runs.get(key.in_any_order())
        if run is None:
            with self._catalog.lock:
                run = known.runs.get(key.in_any_order()) or self._describe(this, key, known)
        return run

    def _first_seen(self, this: Any) -> _Known:
        known = self._known[this] = _Known(SessionVariables(self._catalog))
        if this.sess_str:
            self._leave_alone(this, f"it runs at {this.sess_str.decode(errors='replace')!r}, in another process")
        return known

    def _describe(self, this: Any, key: RunKey, known: _Known) -> _Run:
        description = self._graphs.describe(this.graph, key, known.variables)
        number = next(_numbers)
        nodes = description.watched
        _native.describe_run(
            number,
            [node.name for node in nodes],
            [node.site for node in nodes],
            [node.path for node in nodes],
            [node.reference + 2 * node.single for node in nodes],
        )
        weakref.finalize(this, _native.forget_run, number)
        run = known.runs[key.in_any_order()] = _Run(number, description, _watch_all(number, b""))
        return run

    def _options(self, run: _Run, given: Any) -> Any:
        """The options of a run with our watches; None where the program watches tensors itself."""
        if given is None:
            return run.options
        serialized = self._plain_read(given)
        if _options_from(serialized).debug_options.debug_tensor_watch_opts:
            self._recorder.warn("a session's run that watches tensors itself, with debug_options, is not recorded")
            return None
        return _watch_all(run.number, serialized)

    def _begin(self, run: _Run) -> int:
        """Records that a run begins, and returns its execution."""
        function = run.description.function
        self._recorder.catalog.use_function(function.function)
        frame = sys._getframe(3)  # noqa: SLF001
        key = stack_key(frame)
        site = self._call_sites.get((function.name, key))
        if site is None:
            with self._catalog.lock:
                site = self._catalog.new_sites(1)
                stack = self._stacks.current(key, frame)
                called = Site(site, function.name, "Session.run", NONE, stack, call=CallKind.CALL)
                self._catalog.add_sites([called])
            self._call_sites[function.name, key] = site
        else:
            self._recorder.catalog.use_site(site)
        inputs = [UNKNOWN_INPUT] * len(function.arguments)
        return self._recorder.begin_call(site, function.function, ("session", run.number), inputs)

    def _read(self, plain: Callable[[Any], bytes], buffer: Any) -> bytes:
        """What a buffer holds; of the metadata of a run what it would hold without us."""
        serialized = plain(buffer)
        if id(buffer) in self._to_clean:
            self._to_clean.discard(id(buffer))
            with self._recorder.guard("reading the metadata of a session's run"):
                return without_watches(serialized)
        return serialized


def _options_from(serialized: bytes) -> Any:
    import tensorflow as tf  # imported by the program already

    return tf.compat.v1.RunOptions.FromString(serialized)


def _watch_all(number: int, serialized: bytes) -> Any:
    """A buffer with options, to which the watching of all tensors is added."""
    options = _options_from(serialized)
    # Tensors that match no other watch are looked at only where there is some other.
    for name, slot in (("*", -1), ("tensordbg", 0)):
        watch = options.debug_options.debug_tensor_watch_opts.add()
        watch.node_name = name
        watch.output_slot = slot
        watch.debug_ops.append(f"{WATCH_OP}(run={number})")
        watch.debug_urls.append(_NOWHERE)
    return pywrap_tf_session.TF_NewBufferFromString(options.SerializeToString())
