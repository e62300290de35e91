"""The names under which TensorFlow 1's debugger was used, for a program to change one import.

    from tensordbg.tensorflow import v1 as tf_debug

    session = tf_debug.LocalCLIDebugWrapperSession(session)

Importing this module does not import TensorFlow; calling what is in it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.lazy import lazy_names

if TYPE_CHECKING:
    from tensordbg.debug.dumping_sessions import DumpingDebugHook, DumpingDebugWrapperSession, WatchOptions
    from tensordbg.debug.local_sessions import LocalCLIDebugHook, LocalCLIDebugWrapperSession
    from tensordbg.debug.old_filters import has_inf_or_nan

__all__ = [
    "DumpingDebugHook",
    "DumpingDebugWrapperSession",
    "LocalCLIDebugHook",
    "LocalCLIDebugWrapperSession",
    "WatchOptions",
    "has_inf_or_nan",
]

_HOMES = {
    "DumpingDebugHook": "tensordbg.debug.dumping_sessions",
    "DumpingDebugWrapperSession": "tensordbg.debug.dumping_sessions",
    "LocalCLIDebugHook": "tensordbg.debug.local_sessions",
    "LocalCLIDebugWrapperSession": "tensordbg.debug.local_sessions",
    "WatchOptions": "tensordbg.debug.dumping_sessions",
    "has_inf_or_nan": "tensordbg.debug.old_filters",
}
"""Where each public name is defined."""

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
