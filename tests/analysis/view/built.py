"""Traces built in memory, as a reader on disk would give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensordbg.analysis.view.opened import OpenedTrace
from tests.analysis.builder import TraceBuilder


class BuiltReader:
    """What the page asks of a reader, answered by a builder."""

    path = Path("/nowhere")
    running = False
    damage = 0

    def __init__(self, trace: TraceBuilder) -> None:
        self._trace = trace

    def __getattr__(self, name: str) -> Any:
        return getattr(self._trace, name)

    @property
    def tensor_count(self) -> int:
        return self._trace.count("tensors")


def opened_builder(trace: TraceBuilder) -> OpenedTrace:
    """A trace in memory, opened."""
    return OpenedTrace(BuiltReader(trace))  # type: ignore[arg-type]
