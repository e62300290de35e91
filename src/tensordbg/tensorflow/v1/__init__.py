"""The names under which TensorFlow 1's debugger was used, for a program to change one import.

    from tensordbg.tensorflow import v1 as tf_debug

    session = tf_debug.LocalCLIDebugWrapperSession(session)

Importing this module does not import TensorFlow; calling what is in it does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensordbg.lazy import lazy_names

if TYPE_CHECKING:
    from tensordbg.tensorflow.v1.dumping_sessions import DumpingDebugHook, DumpingDebugWrapperSession, WatchOptions
    from tensordbg.tensorflow.v1.local_sessions import LocalCLIDebugHook, LocalCLIDebugWrapperSession
    from tensordbg.tensorflow.v1.old_filters import has_inf_or_nan

__all__ = [
    "DumpingDebugHook",
    "DumpingDebugWrapperSession",
    "LocalCLIDebugHook",
    "LocalCLIDebugWrapperSession",
    "WatchOptions",
    "has_inf_or_nan",
]

_HOMES = {
    "DumpingDebugHook": "tensordbg.tensorflow.v1.dumping_sessions",
    "DumpingDebugWrapperSession": "tensordbg.tensorflow.v1.dumping_sessions",
    "LocalCLIDebugHook": "tensordbg.tensorflow.v1.local_sessions",
    "LocalCLIDebugWrapperSession": "tensordbg.tensorflow.v1.local_sessions",
    "WatchOptions": "tensordbg.tensorflow.v1.dumping_sessions",
    "has_inf_or_nan": "tensordbg.tensorflow.v1.old_filters",
}
"""Where each public name is defined."""

__getattr__, __dir__ = lazy_names(__name__, _HOMES)
