"""`enable_dump_debug_info` and `disable_dump_debug_info`, to be called as TensorFlow's functions of these names are.

What is dumped is a trace, made in the folder `dump_root`, so every command of `tdbg` takes that folder. Other than with
TensorFlow's functions, all threads are recorded, dumping may be switched on and off any number of times, and what was
recorded survives whatever ends the process.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from pathlib import Path

from tensordbg.backends.tensorflow.dump.request import (
    Dtypes,
    DumpRequest,
    check_buffer_size,
    check_mode,
    check_root,
    make_filter,
)
from tensordbg.recording.session import Session, seal
from tensordbg.trace.writer import new_trace_folder

_lock = threading.RLock()


class DumpWriter:
    """The object that `enable_dump_debug_info` returns, with the methods of `DebugEventsWriter` that programs call.

    Everything that was recorded lies in the trace already, so there is nothing to write out.
    """

    def __init__(self, root: str, session: Session | None) -> None:
        """Of a recording; of none where another one goes on."""
        self._root = root
        self._session = session

    @property
    def dump_root(self) -> str:
        """The folder of traces, as it was given."""
        return self._root

    def FlushNonExecutionFiles(self) -> None:  # noqa: N802  TensorFlow's name
        """Does nothing: sites, functions, stacks and sources are on the disk before an event refers to them."""

    def FlushExecutionFiles(self) -> None:  # noqa: N802  TensorFlow's name
        """Keeps for good what the circular buffer holds; from now on it fills anew."""
        with _lock:
            if self._session is not None and self._session is _state.session:
                self._session.recorder.log.keep_all()

    def Close(self) -> None:  # noqa: N802  TensorFlow's name
        """Ends the recording; closing twice does no harm."""
        with _lock:
            if self._session is not None and self._session is _state.session:
                _state.end()


class _Dumping:
    """The recording that is under way, if there is one."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self.request: DumpRequest
        self.writer: DumpWriter
        self._error: BaseException | None = None
        self._at_exit = False

    def begin(self, request: DumpRequest) -> DumpWriter:
        other = Session.current()
        if other is not None:
            other.recorder.warn(
                f"enable_dump_debug_info({request.root!r}): this process is being recorded into {other.folder} "
                "already; that recording goes on as it is, and nothing is written into the other folder"
            )
            return DumpWriter(request.root, None)
        program = Path(sys.argv[0]).stem if sys.argv and sys.argv[0] else ""
        session = Session(new_trace_folder(Path(request.folder), program), request.plan, program or "program")
        session.start()
        self.session, self.request, self.writer = session, request, DumpWriter(request.root, session)
        self._error = _last_error()
        if not self._at_exit:
            self._at_exit = True
            atexit.register(self._exit)
        return self.writer

    def end(self, exception: str | None = None) -> None:
        session, self.session = self.session, None
        if session is not None:
            session.stop(exception=exception)
            seal(session.folder)

    def _exit(self) -> None:
        """The interpreter ends; an exception that ended the program has been printed by now."""
        with _lock:
            error = _last_error()
            ended_by = error if error is not self._error else None
            self.end(None if ended_by is None else f"{type(ended_by).__name__}: {ended_by}")


_state = _Dumping()


def enable_dump_debug_info(
    dump_root: str | os.PathLike[str],
    tensor_debug_mode: str = "NO_TENSOR",
    circular_buffer_size: int = 1000,
    op_regex: str | None = None,
    tensor_dtypes: Dtypes = None,
) -> DumpWriter:
    """Records what TensorFlow computes from now on into a new trace in the folder `dump_root`.

    Called again with the same arguments it changes nothing. Another root, or other filters, end that trace and begin a
    new one.

    Args:
        dump_root: A folder of this machine; it is made if it does not exist.
        tensor_debug_mode: `NO_TENSOR` records that tensors were computed, `SHAPE` their shapes too, `CURT_HEALTH`,
            `CONCISE_HEALTH` and `FULL_HEALTH` all that is measured of them, `FULL_TENSOR` their elements too.
        circular_buffer_size: Keep the last so many executions, and the last so many tensors computed in functions; all
            if it is 0 or less.
        op_regex: Record only tensors of operations whose type matches it from its beginning. Executions, and what the
            program consists of, are recorded anyway.
        tensor_dtypes: Record only tensors of these dtypes: a list or tuple of them or of their names, or a callable
            that takes a `tf.DType` and says whether it is wanted.

    Returns:
        An object with `dump_root`, `FlushNonExecutionFiles()`, `FlushExecutionFiles()` and `Close()`.

    Raises:
        ValueError: If there is no such mode, the root is empty, or dumping is on with another mode or buffer size.
        NotImplementedError: For the modes that TensorFlow's function refuses too.
        RecordingError: If no trace can be made there.
    """
    mode = check_mode(tensor_debug_mode)
    wanted = make_filter(op_regex, tensor_dtypes)
    request = DumpRequest(check_root(dump_root), mode, check_buffer_size(circular_buffer_size), wanted)
    with _lock:
        if _state.session is None:
            return _state.begin(request)
        _check_agreement(_state.request, request)
        if (_state.request.folder, _state.request.filter) == (request.folder, request.filter):
            return _state.writer
        _state.end()
        return _state.begin(request)


def disable_dump_debug_info() -> None:
    """Ends what `enable_dump_debug_info` began; does nothing if that was not called."""
    with _lock:
        _state.end()


def _check_agreement(present: DumpRequest, request: DumpRequest) -> None:
    """Whether a second call fits the first, in TensorFlow's words.

    Raises:
        ValueError: If it asks for another mode or another size of the buffer.
    """
    if present.buffer_size != request.buffer_size:
        message = (
            "There is already a dumping callback configured with a different circular-buffer size "
            f"({present.buffer_size}). Therefore the newly request circular-buffer size ({request.buffer_size}) will "
            "not be honored."
        )
        raise ValueError(message)
    if present.mode != request.mode:
        message = (
            f"There is already a dumping callback configured for dump root {present.root} with a different "
            f"tensor-debug mode ({present.mode}). Therefore the newly request tensor-debug mode ({request.mode}) size "
            "will not be honored."
        )
        raise ValueError(message)


def _last_error() -> BaseException | None:
    """The exception that Python printed last, as it does with one that ends a program; a session goes on after one."""
    if sys.flags.interactive or hasattr(sys, "ps1"):
        return None
    return getattr(sys, "last_value", None)
