"""The graphs of functions, where they were asked for: files `graphs/NNNNNN-STAGE.pb.gz`, by the number of the function.

Each is one of TensorFlow's GraphDef messages, compressed by gzip, written whole or not at all; which there are is what
the folder holds. Sealing does not touch them. They are written inside the user's program: nothing heavy is imported.
"""

from __future__ import annotations

import enum
import gzip
import os
import re
import threading
from pathlib import Path

from tensordbg.errors import TraceError, UsageError
from tensordbg.opening import read_packed
from tensordbg.remote.copies import look

FOLDER = "graphs"

GRAPH_BYTES = 2**28
"""The files of one trace may take so much."""

_NAME = re.compile(r"(\d{6,})-([a-z]+)\.pb\.gz")


class GraphStage(str, enum.Enum):
    """Which graph of a function."""

    BUILT = "built"
    """As Python built it."""
    RUN = "run"
    """As TensorFlow makes it ready to run without any probes: optimised, placed on devices, divided among them."""
    RECORDED = "recorded"
    """As it ran while it was recorded, the probes left out: they keep TensorFlow from fusing what they look at."""


def stage_named(name: str) -> GraphStage:
    """A stage by its name.

    Raises:
        UsageError: If there is none of this name.
    """
    try:
        return GraphStage(name)
    except ValueError:
        known = ", ".join(stage.value for stage in GraphStage)
        raise UsageError(f"stage {name!r} is not known; choose one of {known}") from None


class GraphFiles:
    """Writes the graphs of one trace; any thread may write at any time."""

    def __init__(self, folder: Path, budget: int = GRAPH_BYTES) -> None:
        """Into the trace in a folder, at most `budget` bytes."""
        self._folder = folder / FOLDER
        self._budget = self._left = budget
        self._process = os.getpid()
        self._lock = threading.Lock()
        self.failure = ""
        """Why nothing is written any more, in one line; empty while all is well."""

    def write(self, function: int, stage: GraphStage, message: bytes) -> bool:
        """Writes a graph; returns whether it is there now."""
        packed = gzip.compress(message, 6)
        with self._lock:
            # A forked child must not write into its parent's trace.
            if self.failure or os.getpid() != self._process:
                return False
            if len(packed) > self._left:
                self.failure = f"graphs took more than {self._budget:,} bytes"
                return False
            try:
                self._folder.mkdir(exist_ok=True)
                path = self._folder / f"{function:06d}-{stage.value}.pb.gz"
                draft = path.with_suffix(".draft")
                draft.write_bytes(packed)
                draft.replace(path)
            except OSError as error:
                self.failure = f"{self._folder}: {error.strerror or error}"
                return False
            self._left -= len(packed)
            return True


def kept_graphs(trace: Path) -> dict[int, tuple[GraphStage, ...]]:
    """Which graphs a trace has, by the number of the function; none where they were not asked for."""
    found: dict[int, list[GraphStage]] = {}
    look(trace / FOLDER)
    for path in sorted((trace / FOLDER).glob("*.pb.gz")):
        match = _NAME.fullmatch(path.name)
        if match and match[2] in GraphStage._value2member_map_:
            found.setdefault(int(match[1]), []).append(GraphStage(match[2]))
    order = list(GraphStage)
    return {function: tuple(sorted(stages, key=order.index)) for function, stages in found.items()}


def read_graph(trace: Path, function: int, stage: GraphStage) -> bytes | None:
    """The message of one graph; None where the trace does not hold it.

    Raises:
        TraceError: If the file is damaged.
    """
    path = trace / FOLDER / f"{function:06d}-{stage.value}.pb.gz"
    try:
        return read_packed(path, GRAPH_BYTES, trace)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise TraceError(
            f"{path}: can't be read ({error.strerror}); restore the file from a copy, or record again"
        ) from error
