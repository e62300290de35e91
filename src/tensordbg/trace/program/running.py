"""Whether the program that records a trace is still at work."""

from __future__ import annotations

import os
import socket
from pathlib import Path

from tensordbg.trace.program.metadata import TraceMetadata
from tensordbg.trace.program.process_age import state_of

_CLOCK_TOLERANCE_NS = 5_000_000_000


def is_running(metadata: TraceMetadata) -> bool:
    """Whether the recorded process exists on this machine.

    A process that began after the trace only has the same number. Of other machines nothing is known: False.
    """
    if metadata.host != socket.gethostname():
        return False
    if metadata.pid <= 0:
        return False
    try:
        os.kill(metadata.pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # it belongs to someone else, but exists
    return not _is_another(metadata)


def _is_another(metadata: TraceMetadata) -> bool:
    """Whether the process is dead and only not yet buried, or another one than recorded; where that can be known."""
    stated = state_of(metadata.pid)
    if stated is None:
        return False
    state, ticks = stated
    if state in "ZX":
        return True
    if metadata.started is not None:
        return ticks != metadata.started
    # A trace of before it was noted: by the clock on the wall, which may have been set since.
    try:
        boot = int(Path("/proc/stat").read_text().partition("btime ")[2].split()[0])
    except (OSError, ValueError, LookupError):
        return False
    began_ns = (boot + ticks / os.sysconf("SC_CLK_TCK")) * 1e9
    return began_ns > metadata.created_ns + _CLOCK_TOLERANCE_NS
