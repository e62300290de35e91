"""Tells a debugger of each operation: before it runs, for stops at lines, and once it has been recorded."""

from __future__ import annotations

import os
import sys
from types import FrameType, ModuleType
from typing import Any

from tensordbg.backends.torch.trap.capture import array_of
from tensordbg.recording.lines import EagerOperation
from tensordbg.recording.recorder import Recorder


class Operations:
    """The observer's words for a debugger."""

    def __init__(self, recorder: Recorder) -> None:
        """Tells nothing yet."""
        self._recorder = recorder
        self._process = os.getpid()

    def install(self, observer: ModuleType) -> None:
        """Tells of operations from now on, until the observer stops."""
        tell = getattr(observer, "tell_debugger", None)
        if tell is None:
            self._recorder.warn(
                "the program stops at no line, as its operations are seen by an observer in Python; breakpoints that "
                "name a function, and `run`, `step` and filters, stop it before and behind runs"
            )
            return
        tell(self._before, self._behind)

    def _before(self, name: str, inputs: list[Any]) -> type[BaseException] | None:
        """An operation is about to run; returns what the thread is to raise, None where it goes on."""
        lines = self._recorder.lines
        if lines is None or os.getpid() != self._process or not lines.wants_operations:
            return None
        caller = _caller()
        if caller is None:
            return None
        try:
            lines.before_operation(EagerOperation(name, lambda: inputs, caller, elements))
        except SystemExit as error:
            return _leaving(error.code)
        return None

    def _behind(self, site: int, execution: int) -> type[BaseException] | None:
        """An operation has been recorded; returns what the thread is to raise, None where it goes on."""
        watch = self._recorder.watch
        if watch is None or os.getpid() != self._process:
            return None
        watch.ran(execution)
        if not watch.each_operation:
            return None
        caller = _caller()
        if caller is None:
            return None
        try:
            watch.operation(site, execution, caller)
        except SystemExit as error:
            return _leaving(error.code)
        return None


def elements(value: Any) -> Any:
    """The elements of a tensor; None of anything else."""
    from torch import Tensor

    return array_of(value) if isinstance(value, Tensor) else None


def _caller() -> FrameType | None:
    """The code that runs the operation; None in a thread of PyTorch's own."""
    return sys._getframe(1).f_back  # noqa: SLF001  a public function of this implementation


def _leaving(code: Any) -> type[BaseException]:
    """An exception that ends the program with a code, to be made by the thread that raises it."""

    class Leaving(SystemExit):
        def __init__(self) -> None:
            super().__init__(code)

    return Leaving
