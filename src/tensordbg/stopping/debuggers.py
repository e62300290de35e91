"""Runs a Python function under a debugger, up to a line."""

from __future__ import annotations

import bdb
import pdb  # noqa: T100  running a debugger is the purpose
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

from tensordbg.errors import UsageError


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
    place = file_here(file)
    refused = debugger.set_break(place, line)
    if refused:
        raise UsageError(f"{place}:{line}: no stop there ({refused}); give --break FILE:LINE")
    try:
        debugger.runcall(call)
    except (SystemExit, bdb.BdbQuit):
        return
    finally:
        debugger.clear_all_breaks()
    sys.stderr.write(f"tdbg: the step has come to its end; it stops at {place}:{line} each time that line runs\n")


def serve_dap(call: Callable[[], object], port: int, said: str) -> None:
    """Waits for an editor, and calls a function once it has attached.

    Args:
        call: What is run.
        port: Where the editor attaches, on this machine only.
        said: What is said before the function is called.
    """
    import debugpy  # noqa: T100

    debugpy.listen(("127.0.0.1", port))  # noqa: T100
    sys.stderr.write(f"tdbg: attach your editor to 127.0.0.1:{port}; {said}\n")
    sys.stderr.flush()
    debugpy.wait_for_client()  # noqa: T100
    debugpy.debug_this_thread()
    debugpy.breakpoint()  # noqa: T100
    call()


def file_here(file: str) -> str:
    """A source file where it lies on this machine: the one of a loaded module with the same name, if it moved."""
    if Path(file).exists():
        return file
    loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
    return next((here for here in loaded if here and Path(here).name == Path(file).name), file)
