"""Runs a Python function, or a part of a program that is running, under a debugger, up to a line."""

from __future__ import annotations

import bdb
import contextlib
import pdb  # noqa: T100  running a debugger is the purpose
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from tensordbg.errors import UsageError
from tensordbg.stopping.editors import listen_for_editor


class _Stopper(pdb.Pdb):
    """Python's debugger, which does not stop before the first line but at a breakpoint."""

    _begun = False

    def user_line(self, frame: FrameType) -> None:
        if self._begun:
            super().user_line(frame)
        else:
            self._begun = True
            self.set_continue()
            if self.break_here(frame):
                super().user_line(frame)


def stop_in_pdb(call: Callable[[], object], file: str, line: int) -> None:
    """Calls a function under pdb, which takes commands at the line.

    Args:
        call: What is run.
        file: A source file of it.
        line: From 1.

    Raises:
        UsageError: If there is no such line.
    """
    debugger = _Stopper(nosigint=True)
    place = _break_at(debugger, file, line)
    try:
        debugger.runcall(call)
    except (SystemExit, bdb.BdbQuit):
        return
    finally:
        debugger.clear_all_breaks()
    _tell_end(place, line)


def _break_at(debugger: pdb.Pdb, file: str, line: int) -> str:
    place = file_here(file)
    refused = debugger.set_break(place, line)
    if refused:
        raise UsageError(f"{place}:{line}: no stop there ({refused}); give --break FILE:LINE")
    return place


def _tell_end(place: str, line: int) -> None:
    sys.stderr.write(f"tdbg: the step has come to its end; it stops at {place}:{line} each time that line runs\n")


class _Watcher(pdb.Pdb):
    """Python's debugger in a program that runs already."""

    def __init__(self) -> None:
        # Our own code, and that of PyTorch by which a module's `forward` is called, is nothing to step through.
        super().__init__(nosigint=True, skip=["tensordbg.*", "torch.nn.modules.module"])

    def trace_dispatch(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Ends the program on `quit`, where its own handlers of exceptions do not take it for one of theirs."""
        try:
            return super().trace_dispatch(frame, event, arg)
        except bdb.BdbQuit:
            raise SystemExit(0) from None

    def watch(self, frame: FrameType) -> None:
        """Stops at breakpoints from now on; at once where a line that is running already has one."""
        self.reset()
        here = None
        each: FrameType | None = frame
        while each is not None:
            each.f_trace = self.trace_dispatch
            here = each if here is None and self.break_here(each) else here
            self.botframe: FrameType = each
            each = each.f_back
        self.set_continue()
        sys.settrace(self.trace_dispatch)
        if here is not None:
            self.interaction(here, None)
            if self.quitting:
                raise SystemExit(0)

    def leave(self, frame: FrameType) -> None:
        """Stops nowhere from now on."""
        sys.settrace(None)
        self.clear_all_breaks()
        each: FrameType | None = frame
        while each is not None:
            each.f_trace = None
            each = each.f_back


@contextlib.contextmanager
def watched_in_pdb(frame: FrameType, file: str, line: int) -> Iterator[None]:
    """Has pdb take commands at a line, from here to the end of the block.

    Args:
        frame: The one that is running, of those in which it may stop the innermost.
        file: A source file of it.
        line: From 1.

    Raises:
        UsageError: If there is no such line.
    """
    debugger = _Watcher()
    place = _break_at(debugger, file, line)
    try:
        debugger.watch(frame)
        yield
    finally:
        debugger.leave(frame)
    _tell_end(place, line)


def serve_dap(call: Callable[[], object], port: int, said: str) -> None:
    """Waits for an editor, and calls a function once it has attached.

    Args:
        call: What is run.
        port: Where the editor attaches, on this machine only.
        said: What is said before the function is called.
    """
    wait_for_editor(port, said)
    call()


def wait_for_editor(port: int, said: str) -> None:
    """Waits until an editor has attached, and stops then.

    Args:
        port: Where the editor attaches, on this machine only.
        said: What is said before.

    Raises:
        UsageError: If it can't attach there.
    """
    import debugpy  # noqa: T100

    if trouble := listen_for_editor(port):
        raise UsageError(f"--dap {port}: no editor can attach there ({trouble}); give another port")
    sys.stderr.write(f"tdbg: attach your editor to 127.0.0.1:{port}; {said}\n")
    sys.stderr.flush()
    debugpy.wait_for_client()  # noqa: T100
    debugpy.debug_this_thread()
    debugpy.breakpoint()  # noqa: T100


def file_here(file: str) -> str:
    """A source file where it lies on this machine: the one of a loaded module with the same name, if it moved."""
    if Path(file).exists():
        return file
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return next((here for here in loaded if here and Path(here).name == Path(file).name), file)
