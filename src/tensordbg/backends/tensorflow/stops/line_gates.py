"""Has functions stop at the lines of a debugger's breakpoints: an instrument for as long as these lines are the same.

Other lines need another instrument, since a function that has the nodes of one is left as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tensordbg import _native
from tensordbg.backends.tensorflow.functions.graphs import Description
from tensordbg.backends.tensorflow.functions.instrument import Functions
from tensordbg.backends.tensorflow.hooks import framework_library
from tensordbg.backends.tensorflow.raw_tensors import RawTensor, measured_of
from tensordbg.backends.tensorflow.stops.line_copies import lines_in_copies
from tensordbg.backends.tensorflow.stops.line_gate_nodes import Gate, add_gates
from tensordbg.backends.tensorflow.stops.quiet_end import QuietEnd
from tensordbg.model import Frame
from tensordbg.recording.lines import GraphLine, LineWatch
from tensordbg.recording.recorder import Recorder

Place = tuple[int, str, int, int, int]
"""The gate, the call path, the step, the loop frame (0 outside of loops) and the iteration."""

_NUMBERS = itertools.count()


class _Instrument:
    """The gates of one choice of lines."""

    def __init__(self, recorder: Recorder, lines: LineWatch, gates: dict[int, Gate]) -> None:
        self.kind = f"lines {next(_NUMBERS)}"
        self._recorder = recorder
        self._lines = lines
        self._gates = gates

    @property
    def active(self) -> bool:
        """Whether any line is of interest."""
        return self._recorder.active and self._lines.wants_lines

    def guard(self, what: str) -> AbstractContextManager[None]:
        """A fault ends the recording."""
        return self._recorder.guard(what)

    def warn(self, message: str) -> None:
        """Says nothing: who records has said it."""

    def wants(self, graph: Any, definition: Any) -> bool:  # noqa: ARG002  known only once it is described
        """Every function."""
        return True

    def add_nodes(self, definition: Any, described: Description) -> None:
        """A gate before and one behind the operations of each line."""
        gates = add_gates(definition, described, self._recorder.catalog, self._lines)
        name = described.function.name
        for gate in gates.placed:
            self._gates[gate.number] = gate
        if gates.left_out:
            self._recorder.warn(
                f"{name} has the control flow of TensorFlow 1 (Switch and Merge), so the program does not stop inside "
                f"it, at {_places(gates.left_out)}; stop at the line that calls it, or behind the run that reaches one "
                "of its operations (break -o)"
            )


class LineGates:
    """Puts the gates into all functions, and anew when the lines change."""

    def __init__(self, recorder: Recorder, lines: LineWatch, functions: Functions) -> None:
        """For a debugger."""
        self._recorder = recorder
        self._lines = lines
        self._functions = functions
        self._gates: dict[int, Gate] = {}
        self._instrument: _Instrument | None = None
        self._quiet = QuietEnd()

    def install(self) -> None:
        """Stops the program from now on."""
        _native.register_tensorflow_stop(framework_library())
        _native.start_stopping(self._reached)
        self._lines.on_change = self._change
        self._change()

    def uninstall(self) -> None:
        """Stops it no more."""
        _native.stop_stopping()
        self._lines.on_change = _nothing
        self._remove()
        self._quiet.end()

    def _change(self) -> None:
        with self._recorder.guard("putting stops into functions"):
            self._remove()
            if self._lines.wants_lines:
                self._instrument = _Instrument(self._recorder, self._lines, self._gates)
                self._functions.add(self._instrument)
                self._name_copies()

    def _name_copies(self) -> None:
        """Says which lines pipelines have copies of that don't stop."""
        gated = {(gate.function, frame.file, frame.line) for gate in self._gates.values() for frame in gate.frames}
        for title, frames in lines_in_copies(self._recorder.catalog, self._lines).items():
            missed = [frame for frame in frames if (title, frame.file, frame.line) not in gated]
            if missed:
                self._recorder.warn(
                    f"pipelines that were made before have a copy of {title} that does not stop at {_places(missed)}; "
                    "set the breakpoint before they are made, by --break or at the first stop"
                )

    def _remove(self) -> None:
        if self._instrument is not None:
            self._functions.remove(self._instrument)
            self._instrument = None

    def _reached(self, place: Place, tensors: Sequence[RawTensor | None]) -> str | None:
        number, path, step, frame, iteration = place
        gate = self._gates.get(number)
        if gate is None or not self._recorder.active:
            return None
        values = [None if each is None else measured_of(each).array for each in tensors]
        found = [
            {name: values[k] for name, k in named if k < len(values) and values[k] is not None}
            for named in (gate.shown, gate.named)
        ]
        turn = iteration if frame else None
        run = (gate.group, path, step, frame, iteration)
        shown, named = found
        group = (gate.operation, gate.function, gate.frames)
        line = GraphLine(*group, shown, named, run, gate.is_behind, turn, begins_iteration=gate.begins_iteration)
        ended = self._lines.reached(replace(line, path=path, moment=(step, frame, iteration)))
        if ended is not None:
            self._quiet.begin()
        return ended


def _places(frames: Iterable[Frame]) -> str:
    return ", ".join(dict.fromkeys(f"{Path(frame.file).name}:{frame.line}" for frame in frames))


def _nothing() -> None:
    """Nothing stops the program any more."""
