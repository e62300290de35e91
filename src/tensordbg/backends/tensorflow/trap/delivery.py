"""Knows whether an error that stops a step has come to the program: until then TensorFlow may begin further steps.

A loop over a dataset in a graph runs ahead of what it hands out, so steps behind a bad one run before the error of that
one is known in Python.
"""

from __future__ import annotations

import sys
from typing import Any

from tensordbg.backends.tensorflow.internals import traceback_utils
from tensordbg.backends.tensorflow.methods import ReplacedAttributes
from tensordbg.recording.carried import chain

_TAKES_OFF = "_process_traceback_frames"


class Delivery:
    """The message on its way, while it is installed."""

    def __init__(self) -> None:
        """None is."""
        self.message = ""
        """What was sent and has not come yet; empty where nothing is on its way."""
        self._replaced = ReplacedAttributes()

    def install(self) -> None:
        """Looks on from now on."""
        self._replaced.replace(traceback_utils, _TAKES_OFF, self._noting)

    def uninstall(self) -> None:
        """Looks on no longer."""
        self._replaced.restore()

    def _noting(self, plain: Any) -> Any:
        def _process_traceback_frames(trace: Any) -> Any:
            if self.message and any(self.message in str(each) for each in chain(sys.exc_info()[1])):
                self.message = ""
            return plain(trace)

        return _process_traceback_frames
