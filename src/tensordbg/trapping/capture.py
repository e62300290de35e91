"""Makes the capture of a step: what it was given, what its variables were, and what it is."""

from __future__ import annotations

import os
import platform
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tensordbg.capture.header import (
    FORMAT_VERSION,
    Commit,
    Header,
    StoredArgument,
    StoredTable,
    StoredTensor,
    StoredVariable,
    Suspect,
    TensorDigest,
    Trouble,
)
from tensordbg.capture.tensors import Array, digest_of, dtype_of, packed_tensors, size_of, storable
from tensordbg.capture.writer import TABLES_FILE, write_capture
from tensordbg.health.measured import Measured
from tensordbg.model import NONE, Function
from tensordbg.recording.catalog import CATALOG
from tensordbg.trapping.plan import TrapPlan
from tensordbg.trapping.targets import TrapTarget

TABLE = ("keys", "values")
"""The kinds of what is saved of a lookup table before an early change."""


class Room:
    """The rest of the size that a capture may have, and a note on each tensor that does not fit in."""

    def __init__(self, size: int, notes: list[str]) -> None:
        """Begins with all of it.

        Args:
            size: In bytes.
            notes: Takes a sentence for each tensor that is left out.
        """
        self._left = size
        self._notes = notes

    def keep(self, tensors: dict[str, Array], key: str, name: str, array: Array) -> StoredTensor:
        """Puts a tensor among those of a file under a key if it fits in, and tells what is said of it."""
        size = size_of(array)
        if size > self._left:
            note = f"{name} takes {size} bytes, more than are left of the capture's size"
            self._notes.append(f"{note}; give a larger --size")
            return StoredTensor(name, dtype_of(array), array.shape, "", note)
        self._left -= size
        tensors[key] = array
        return StoredTensor(name, dtype_of(array), array.shape, key)


@dataclass(frozen=True)
class Saved:
    """A tensor that the trap is given to keep."""

    kind: str
    """`argument`, `element` (of an input pipeline), `variable`, or one of `TABLE` (before an early write)."""
    tensor: str
    """Its name in the definition; of a variable that of its handle."""
    dtype: int
    """The framework's number of it."""
    argument: int
    """Which argument of the function it is, or is the handle of; -1 for an element."""


@dataclass(frozen=True)
class CapturedTable:
    """A lookup table of a step, with all that it holds."""

    argument: int
    """Which argument of the function is its handle."""
    keys: Array
    values: Array


@dataclass(frozen=True)
class TrappedFunction:
    """A function with a trap."""

    function: Function
    tested: tuple[TrapTarget, ...]
    saved: tuple[Saved, ...]
    read: Callable[[int], Array | None]
    """Gives the variable of a number as it is now; None where it is gone or has no value."""
    tables: Callable[[bytes], Sequence[CapturedTable]]
    """Gives the lookup tables as they are now, by the function in the framework's own form."""


@dataclass(frozen=True)
class Surroundings:
    """The framework that a captured step ran in."""

    frameworks: Mapping[str, str]
    """Versions by name."""
    seeds: Mapping[str, int]
    """The seeds that the program has set."""
    origins: Callable[[Sequence[Array | None]], tuple[str, ...]]
    """Says where the rows of a batch came from; empty where nobody knows."""
    files: Mapping[str, bytes]
    """The function, in the framework's own form, and the rows that describe it."""
    tables: Sequence[CapturedTable] = ()


@dataclass(frozen=True)
class BadStep:
    """A bad step, as a trap found it."""

    step: int
    trouble: Trouble
    saved: tuple[Array | None, ...]
    """In the order of `TrappedFunction.saved`; copies."""
    reached: Mapping[str, str] = field(default_factory=dict)
    """How far the training has come, such as its `epoch`."""
    variables: Mapping[int, Array] = field(default_factory=dict)
    """Variables as they were before the step, by argument; the others wait for the trap and are read."""
    later: tuple[tuple[Array | None, ...], ...] = ()
    """What the steps after it were given, in the same order as `saved`."""


def trouble_of(tested: Sequence[TrapTarget], bad: Sequence[int], tensors: Sequence[Measured]) -> Trouble:
    """The tested tensors, and the bad ones among them.

    Args:
        tested: What they are.
        bad: Positions of the bad ones.
        tensors: The tensors themselves.
    """
    return Trouble(
        kind="non_finite",
        suspects=tuple(suspect_of(tested[position], tensors[position]) for position in bad),
        tested=tuple(
            TensorDigest(each.name, each.role, each.variable, digest_of(of.array))
            for each, of in zip(tested, tensors, strict=True)
        ),
    )


def make_capture(plan: TrapPlan, trapped: TrappedFunction, bad: BadStep, around: Surroundings) -> Path:
    """Writes the capture of a bad step.

    Raises:
        OSError: If it can't be written.
    """
    maker = _Maker(plan, trapped, bad, around)
    header = maker.header()
    place = plan.folder / f"{safe_name(trapped.function.name)}-{bad.step}"
    files = {**around.files, TABLES_FILE: packed_tensors(maker.tables)} if maker.tables else around.files
    return write_capture(place, header, maker.batch, maker.variables, files)


class _Maker:
    """Chooses what is kept of one step, as far as the size allows: the batch first, then the variables."""

    def __init__(self, plan: TrapPlan, trapped: TrappedFunction, bad: BadStep, around: Surroundings) -> None:
        self._notes: list[str] = []
        self._room = Room(plan.size, self._notes)
        self._around = around
        self._trapped = trapped
        self._bad = bad
        self.batch: dict[str, Array] = {}
        self.variables: dict[str, Array] = {}
        self.tables: dict[str, Array] = {}

    def header(self) -> Header:
        """Also fills `batch`, `variables` and `tables`."""
        function, origins = self._trapped.function, self._around.origins
        return replace(
            blank_header(self._around.frameworks, self._bad.trouble),
            function=function.name,
            runtime_name=function.runtime_name,
            step=self._bad.step,
            arguments=self._arguments(self._bad.saved, ""),
            variables=tuple(self._variables()),
            tables=tuple(self._tables()),
            later=tuple(self._arguments(arrays, f"step{i}_") for i, arrays in enumerate(self._bad.later, 1)),
            notes=tuple(self._notes),
            extra=dict(self._bad.reached),
            origins=origins(self._bad.saved),
            later_origins=tuple(origins(arrays) for arrays in self._bad.later),
            seeds=dict(self._around.seeds),
        )

    def _arguments(self, arrays: Sequence[Array | None], place: str) -> tuple[StoredArgument, ...]:
        """What a step was given; `place` tells its tensors in the file from those of another step."""
        given = zip(self._trapped.saved, arrays, strict=True)
        return tuple(
            StoredArgument(self._keep(self.batch, f"{place}{each.kind}{i}", self._name(each), array), each.argument)
            for i, (each, array) in enumerate(given)
            if each.kind in {"argument", "element"}
        )

    def _variables(self) -> list[StoredVariable]:
        early = {
            each.argument: array
            for each, array in zip(self._trapped.saved, self._bad.saved, strict=True)
            if each.kind == "variable"
        }
        early.update(self._bad.variables)
        found = []
        for argument, number in enumerate(self._trapped.function.captures):
            if number == NONE:
                continue
            known = CATALOG.variable(number)
            array = early[argument] if argument in early else self._trapped.read(number)
            stored = self._keep(self.variables, f"variable{argument}", known.name, array)
            found.append(StoredVariable(stored, argument, known.trainable))
        return found

    def _tables(self) -> Iterator[StoredTable]:
        early = {
            (saved.argument, saved.kind): array
            for saved, array in zip(self._trapped.saved, self._bad.saved, strict=True)
            if saved.kind in TABLE and array is not None
        }
        for each in self._around.tables:
            now = zip(TABLE, (each.keys, each.values), strict=True)
            name = CATALOG.site(self._trapped.function.arguments[each.argument]).name
            keys, values = (
                self._keep(self.tables, key, f"{name}, {part}", early.get((each.argument, part), array))
                for part, array in now
                for key in [f"table{each.argument}_{part}"]
            )
            yield StoredTable(keys, values, each.argument)

    def _keep(self, tensors: dict[str, Array], key: str, name: str, array: Array | None) -> StoredTensor:
        if array is None or not storable(array):
            return StoredTensor(name, "unknown", (), "", "its elements can't be kept")
        return self._room.keep(tensors, key, name, array)

    def _name(self, saved: Saved) -> str:
        if saved.argument == NONE:
            return saved.tensor
        return CATALOG.site(self._trapped.function.arguments[saved.argument]).name


def suspect_of(tested: TrapTarget, measured: Measured) -> Suspect:
    """A tensor that was found bad."""
    health = measured.health
    return Suspect(
        name=tested.name,
        role=tested.role,
        variable=tested.variable,
        dtype=measured.array.dtype.name,
        shape=tuple(measured.array.shape),
        nan=0 if health is None else health.nan,
        pos_inf=0 if health is None else health.pos_inf,
        neg_inf=0 if health is None else health.neg_inf,
    )


def blank_header(frameworks: Mapping[str, str], trouble: Trouble) -> Header:
    """The header of a capture that this process makes now, without the step and what it was given."""
    return Header(
        format=FORMAT_VERSION,
        id=uuid.uuid4().hex[:12],
        program=sys.argv[0],
        command=tuple(sys.argv),
        folder=str(Path.cwd()),
        python=platform.python_version(),
        host=socket.gethostname(),
        pid=os.getpid(),
        created_ns=time.time_ns(),
        frameworks=dict(frameworks),
        commit=commit_of_program(),
        function="",
        runtime_name="",
        step=0,
        trouble=trouble,
        arguments=(),
        variables=(),
    )


def commit_of_program() -> Commit | None:
    """The commit of the repository that the program runs in."""
    try:
        commit = _git("rev-parse", "HEAD")
        return Commit(commit, bool(_git("status", "--porcelain", "--untracked-files=no")))
    except (OSError, subprocess.SubprocessError):
        return None


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, text=True, check=True, timeout=10)
    return done.stdout.strip()


def safe_name(name: str) -> str:
    """A name as that of a folder."""
    return "".join(sign if sign.isalnum() or sign in "_-" else "_" for sign in name)[:60] or "function"
