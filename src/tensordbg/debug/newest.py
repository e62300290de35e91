"""The tensors of the run that was made last, as filters look at them: opened after each run, and so without delay."""

from __future__ import annotations

from pathlib import Path

from tensordbg.analysis.program import Program, read_program
from tensordbg.analysis.view.kept import kept
from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.sites import SiteNames, name_sites
from tensordbg.trace.reader import TraceReader
from tensordbg.trace.window import TraceWindow


class NewestEvents:
    """Opens what was recorded last."""

    def __init__(self, folder: Path) -> None:
        """Of a trace that this process is recording.

        Raises:
            TraceError: If it can't be read.
        """
        self._window = TraceWindow(folder)
        self._version = 0
        self._known: _KnownProgram | None = None

    def since(self, sequence: int) -> OpenedTrace:
        """The events after the record with a sequence number.

        Raises:
            TraceError: If the trace can't be read.
        """
        reader = self._window.since(sequence)
        if self._known is None or self._window.version != self._version:
            self._version = self._window.version
            self._known = _KnownProgram(reader)
        return _RunTrace(reader, self._known)


class _KnownProgram:
    """What the trace says of the program, read when it is asked for."""

    def __init__(self, reader: TraceReader) -> None:
        self._reader = reader

    @kept
    def program(self) -> Program:
        return read_program(self._reader)

    @kept
    def sites(self) -> dict[int, SiteNames]:
        return name_sites(self.program)


class _RunTrace(OpenedTrace):
    """Some events, of a program that is known."""

    def __init__(self, reader: TraceReader, known: _KnownProgram) -> None:
        super().__init__(reader)
        self._known = known

    @kept
    def program(self) -> Program:
        return self._known.program

    @kept
    def sites(self) -> dict[int, SiteNames]:
        return self._known.sites
