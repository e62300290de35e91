"""Sessions of TensorFlow 1 around another session, and hooks of monitored ones: they say which runs are looked at.

They are what TensorFlow's own debugger has its wrappers derived from. The runs themselves are seen where all runs are.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import tensorflow as tf  # what is here is asked for by programs that have imported it

from tensordbg.backends.tensorflow.internals import session

v1 = tf.compat.v1


class RunChooser(Protocol):
    """Is told of runs before they are made."""

    def choose(self, fetches: Any, feed_dict: Any) -> None:
        """The next run of this thread is one to be looked at."""

    def forget(self) -> None:
        """It has been made, or won't be."""


class WrappedSession(session.SessionInterface):  # type: ignore[misc]  # TensorFlow has no types
    """A session that makes its runs in another one; all else is as there."""

    def __init__(self, sess: Any, chooser: RunChooser, thread_name_filter: str | None) -> None:
        """Wraps a session.

        Args:
            sess: A `Session` or `MonitoredSession`.
            chooser: What is told of runs.
            thread_name_filter: A regular expression that the names of threads begin with in which runs are looked at;
                None for all threads.

        Raises:
            TypeError: If `sess` is no session.
        """
        expected = (session.BaseSession, v1.train.MonitoredSession)
        if not isinstance(sess, expected):
            message = f"Expected type {expected}; got type {type(sess)}"
            raise TypeError(message)
        self._sess = sess
        self._chooser = chooser
        self._threads = re.compile(thread_name_filter) if thread_name_filter else None
        self._default: Any = None
        self.run_call_count = 0
        """How often `run` was called."""

    @property
    def graph(self) -> Any:
        """See `tf.compat.v1.Session`."""
        return self._sess.graph

    @property
    def graph_def(self) -> Any:
        """See `tf.compat.v1.Session`."""
        return self._sess.graph_def

    @property
    def sess_str(self) -> Any:
        """See `tf.compat.v1.Session`."""
        return self._sess.sess_str

    @property
    def session(self) -> Any:
        """The session in which the runs are made."""
        return self._sess

    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """See `tf.compat.v1.Session.run`."""
        with self._looked_at(fetches, feed_dict):
            return self._sess.run(fetches, feed_dict=feed_dict, options=options, run_metadata=run_metadata)

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """See `tf.compat.v1.Session.make_callable`."""
        plain = self._sess.make_callable(fetches, feed_list=feed_list, accept_options=accept_options)

        def call(*args: Any, **kwargs: Any) -> Any:
            with self._looked_at(fetches, feed_list):
                return plain(*args, **kwargs)

        return call

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """See `tf.compat.v1.train.MonitoredSession`."""
        return step_fn(v1.train.MonitoredSession.StepContext(self._sess, self.run))

    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> Any:
        """Not possible here, as in TensorFlow's own wrappers."""
        raise NotImplementedError("partial_run_setup is not implemented for debug-wrapper sessions.")

    def partial_run(self, handle: Any, fetches: Any, feed_dict: Any = None) -> Any:
        """Not possible here, as in TensorFlow's own wrappers."""
        raise NotImplementedError("partial_run is not implemented for debug-wrapper sessions.")

    def as_default(self) -> Any:
        """See `tf.compat.v1.Session`."""
        return session.BaseSession.as_default(self)

    def __enter__(self) -> Any:
        if self._default is None:
            self._default = self.as_default()
        return self._default.__enter__()

    def __exit__(self, *raised: object) -> None:
        self._default.__exit__(*raised)

    def __getattr__(self, name: str) -> Any:
        """All else that the session has: `close`, `list_devices`, `should_stop`..."""
        if name == "_sess":  # not there yet
            raise AttributeError(name)
        return getattr(self._sess, name)

    @contextmanager
    def _looked_at(self, fetches: Any, feed_dict: Any) -> Iterator[None]:
        """The run made inside is to be looked at, unless it computes nothing or its thread does not count."""
        self.run_call_count += 1
        counts = self._threads is None or self._threads.match(threading.current_thread().name) is not None
        if not counts or not tf.nest.flatten(fetches):
            yield
            return
        self._chooser.choose(fetches, feed_dict)
        try:
            yield
        finally:
            self._chooser.forget()


class ChoosingHook(v1.train.SessionRunHook):  # type: ignore[misc,name-defined]  # TensorFlow has no types
    """A hook for monitored sessions, whose runs are looked at."""

    def __init__(self, make_chooser: Callable[[], RunChooser], thread_name_filter: str | None) -> None:
        """The chooser is made at the first run."""
        self._make_chooser = make_chooser
        self._threads = re.compile(thread_name_filter) if thread_name_filter else None
        self._chooser: RunChooser | None = None

    def before_run(self, run_context: Any) -> None:
        """See `tf.compat.v1.train.SessionRunHook`."""
        if self._chooser is None:
            self._chooser = self._make_chooser()
        if self._threads is None or self._threads.match(threading.current_thread().name):
            given = run_context.original_args
            self._chooser.choose(given.fetches, given.feed_dict)

    def after_run(self, run_context: Any, run_values: Any) -> None:  # noqa: ARG002  given by TensorFlow
        """See `tf.compat.v1.train.SessionRunHook`."""
        if self._chooser is not None:
            self._chooser.forget()
