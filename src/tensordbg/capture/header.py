"""The header of a capture: `capture.json`."""

from __future__ import annotations

from dataclasses import dataclass, field

FORMAT_VERSION = 1

SERIES = "series"
"""Under this name `Header.extra` has the capture of several steps that one of a single step was made of."""


@dataclass(frozen=True)
class StoredTensor:
    """A tensor of a capture."""

    name: str
    """Of the argument or the variable, as the program knows it."""
    dtype: str
    shape: tuple[int, ...]
    key: str
    """Its name in the file of tensors; empty where it is not kept."""
    missing: str = ""
    """Why it is not kept."""


@dataclass(frozen=True)
class StoredVariable:
    """A variable that the step reads or writes, as it was before the step."""

    tensor: StoredTensor
    argument: int
    """Which argument of the function its handle is."""
    trainable: bool | None = None


@dataclass(frozen=True)
class StoredTable:
    """A lookup table that the step is given, as it was before the step."""

    keys: StoredTensor
    values: StoredTensor
    argument: int
    """Which argument of the function its handle is."""


@dataclass(frozen=True)
class StoredArgument:
    """A value that the function was given."""

    tensor: StoredTensor
    argument: int


@dataclass(frozen=True)
class Suspect:
    """A tensor that was found bad by the trap."""

    name: str
    role: str
    """`loss` or `gradient`."""
    variable: str
    """For a gradient the variable that it is of, empty where that is not known."""
    dtype: str
    shape: tuple[int, ...]
    nan: int
    pos_inf: int
    neg_inf: int

    @property
    def counts(self) -> dict[str, int]:
        """How many elements are not finite, by what they are; only what there is."""
        counts = {"NaN": self.nan, "+inf": self.pos_inf, "-inf": self.neg_inf}
        return {name: count for name, count in counts.items() if count}


@dataclass(frozen=True)
class TensorDigest:
    """A tensor that the trap tested, bad or not."""

    name: str
    """Name and slot in the function's graph."""
    role: str
    """`loss` or `gradient`."""
    variable: str
    sha256: str
    """Of its elements."""


@dataclass(frozen=True)
class Trouble:
    """Why the step was captured."""

    kind: str
    """`non_finite`, `loss_jump`, `gradient_norm`, `predicate` or `variable`."""
    suspects: tuple[Suspect, ...]
    """The tensors that were bad."""
    tested: tuple[TensorDigest, ...] = ()
    numbers: dict[str, float] = field(default_factory=dict)
    """`loss`, `gradient_norm` and `loss_score` of a step that is finite."""


@dataclass(frozen=True)
class Commit:
    """The state of the program's repository."""

    commit: str
    dirty: bool


@dataclass(frozen=True)
class Header:
    """All that is known of a capture without reading its tensors."""

    format: int
    id: str
    program: str
    command: tuple[str, ...]
    folder: str
    """The working folder."""
    python: str
    host: str
    pid: int
    created_ns: int
    frameworks: dict[str, str]
    """Versions by name."""
    commit: Commit | None
    function: str
    """Name of the step's function in Python."""
    runtime_name: str
    step: int
    """How many steps this function had been tested in before."""
    trouble: Trouble
    arguments: tuple[StoredArgument, ...]
    variables: tuple[StoredVariable, ...]
    later: tuple[tuple[StoredArgument, ...], ...] = ()
    """What the steps after this one were given, up to the one that left a variable bad, where that one is not known."""
    notes: tuple[str, ...] = ()
    """What should be known before one believes it: what was left out, and why."""
    extra: dict[str, str] = field(default_factory=dict)
    """What the program said of the step, such as its epoch."""
    origins: tuple[str, ...] = ()
    """Where each row of the batch came from, empty for one of which that is not known; see `trace_data`."""
    later_origins: tuple[tuple[str, ...], ...] = ()
    """The same of the batches of `later`."""
    seeds: dict[str, int] = field(default_factory=dict)
    """The seeds that the program had set, by what has them: `tensorflow`, `keras`."""
    tables: tuple[StoredTable, ...] = ()
