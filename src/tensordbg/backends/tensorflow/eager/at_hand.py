"""Tells a debugger of eager operations before they run; what tensors hold is read beside what is recorded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from tensordbg.backends.tensorflow.eager.entries import Entries
from tensordbg.backends.tensorflow.eager.tensors import flat
from tensordbg.backends.tensorflow.functions.instrument import KnownFunction, Probes
from tensordbg.recording.lines import EagerOperation
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.runs import DebuggedCall

# They compute nothing: making, asking about and deleting resources.
SILENT = frozenset({"VarIsInitializedOp", "DestroyResourceOp", "DeleteIterator", "DeleteMemoryCache"})


class OperationNotices:
    """Tells a debugger, if there is one, of the operations that pass the layer before the eager runtime."""

    recorder: Recorder

    def __init__(self, entries: Entries) -> None:
        self._entries = entries

    def before(self, op_type: str, inputs: Callable[[], Any], function: KnownFunction | None = None) -> None:
        """An operation, or a function's call, is about to run; the program may stop there, or end."""
        lines = self.recorder.lines
        if lines is None or not lines.wants_operations or op_type in SILENT or not self.recorder.active:
            return
        is_run = function is not None and Probes.kind in function.instruments
        name = op_type if function is None else function.name
        caller = sys._getframe(1)  # noqa: SLF001
        lines.before_operation(EagerOperation(name, lambda: flat(inputs()), caller, self.elements, is_run))

    def began(self, run: DebuggedCall, execution: int) -> None:
        """A run has begun."""
        if self.recorder.lines is not None:
            self.recorder.lines.began(run, execution)

    def raised(self) -> None:
        """An operation has raised; the program may end."""
        if self.recorder.lines is not None:
            self.recorder.lines.raised()

    def elements(self, value: Any) -> Any:
        """The elements as an array; None of what has none, such as a tensor of a graph."""
        if not hasattr(type(value), "numpy"):
            return None
        try:
            with self._entries.bypass():
                array = np.asarray(value.numpy())
        except Exception:  # noqa: BLE001  whatever it is, it is not at hand
            return None
        return None if array.dtype.kind == "O" else array
