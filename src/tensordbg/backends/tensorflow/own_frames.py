"""Keeps frames of ours out of tracebacks, and out of the stacks that TensorFlow takes of operations.

Our hooks stand on the stack while the program's functions are traced and run. From the stacks of operations TensorFlow
can leave out the frames of some files, which it does for AutoGraph's; here it is told all files of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow.internals import tf_stack

_PACKAGE = Path(__file__).parents[2]
_FOLDER = str(_PACKAGE) + os.sep
_RUNPY = "<frozen runpy>"


def unseen(function: Callable[..., Any], behind: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Wraps a function so that the traceback of an exception that goes through it shows nothing of it.

    A program that has switched TensorFlow's filtering of tracebacks off sees our frames as well.

    Args:
        function: What is wrapped.
        behind: Called instead by a thread that is at work of ours, see `Entries.bypass`.
    """
    made: Callable[..., Any] = _native.unseen(function, _FOLDER, _shows_all, behind)
    return made


def _shows_all() -> bool:
    import tensorflow as tf  # imported by the program already

    return not tf.debugging.is_traceback_filtering_enabled()


class OwnFrames:
    """The files whose frames are left out."""

    def __init__(self) -> None:
        self._installed = False

    def leave_out(self) -> None:
        """Has them left out from now on, in every thread. It stays so: functions keep our hooks' nodes too."""
        if self._installed:
            return
        self._installed = True
        files = _files(sys._getframe())  # noqa: SLF001
        plain_init = tf_stack.SentinelFilter.__init__

        def init(sentinel: tf_stack.SentinelFilter) -> None:
            plain_init(sentinel)
            sentinel.update()

        tf_stack.SentinelFilter.get_filtered_filenames = lambda _: files
        tf_stack.SentinelFilter.__init__ = init
        # The threads that have taken a stack already have theirs.
        for filters in list(tf_stack._source_filter_stacks.values()):  # noqa: SLF001  described in internals.py
            filters[0].update()


def _files(frame: FrameType | None) -> frozenset[str]:
    files = {str(path) for path in _PACKAGE.rglob("*.py")}
    while frame is not None:
        if frame.f_code.co_filename in files and frame.f_globals.get("__name__") == "__main__":
            # We started the program, not the user with `python -m`.
            files.add(_RUNPY)
        frame = frame.f_back
    return frozenset(files)
