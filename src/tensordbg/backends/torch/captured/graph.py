"""The operations of a captured step, as `graph.json` has them: what a trap writes, and a replay reads."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec

from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError
from tensordbg.json_input import refuse_deep
from tensordbg.opening import read_whole

GRAPH_FILE = "graph.json"
GRAPH_TENSORS_FILE = "graph.safetensors"
"""Memories that no input or variable fills as a whole, and states of the random generator."""

_MOST_BYTES = 2**28


class Before(Enum):
    """How something came that a step took from outside."""

    UNKNOWN = ""
    """Of a capture of an earlier version."""
    LOADER = "loader"
    """A `DataLoader` gave it as it is."""
    MODULE = "module"
    """It was there before the first call of a module, where what a step does begins to be noted."""
    STEP = "step"
    """It was there before the step, in a program that calls no modules."""
    PROCESSES = "processes"
    """Other processes sent it within the step."""


class At(msgspec.Struct, frozen=True, array_like=True):
    """A tensor as a way to look at a memory."""

    memory: int
    dtype: int
    """PyTorch's number of it."""
    offset: int
    """In elements."""
    sizes: tuple[int, ...]
    strides: tuple[int, ...]


class Argument(msgspec.Struct, frozen=True, omit_defaults=True):
    """One argument of an operation: a tensor, a list of tensors, or a value of Python's."""

    tensor: At | None = None
    tensors: tuple[At | None, ...] | None = None
    value: Any = None


class Operation(msgspec.Struct, frozen=True, omit_defaults=True):
    """An operation of the step."""

    name: str
    """`aten::log`."""
    overload: str
    arguments: tuple[Argument, ...]
    results: tuple[At | None, ...]
    stack: int
    """In `stacks.jsonl`."""
    forward: int = -1
    """The operation whose gradient it is part of, -2 where that is not known, -1 of what is no gradient."""
    place: int = -1
    """Which one it is of its kind in a node of autograd: of the second and later ones."""
    autocast: str = ""
    state: int = -1
    """Of the random generator before it."""
    grad: bool = False
    """Whether gradients were noted: some kernels keep more then."""


class Piece(msgspec.Struct, frozen=True):
    """An input or a variable that lies in a memory."""

    variable: bool
    number: int
    at: At


class Outside(msgspec.Struct, frozen=True, omit_defaults=True):
    """A memory that the step did not make."""

    memory: int
    low: int
    """The first byte of it that is kept."""
    size: int
    pieces: tuple[Piece, ...] = ()
    raw: str = ""
    """Under this name its bytes are kept, where the pieces do not fill it."""
    device: str = "cpu"
    came: Before = Before.UNKNOWN


class Target(msgspec.Struct, frozen=True, omit_defaults=True):
    """A tensor that the trap had tested."""

    name: str
    role: str
    variable: str
    at: At | None = None


class StepGraph(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that a step computes."""

    trouble: str = ""
    """Why it can't be run again; nothing else is there then."""
    operations: tuple[Operation, ...] = ()
    outside: tuple[Outside, ...] = ()
    targets: tuple[Target, ...] = ()
    notes: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    """The device of each state of a generator; that of all is the processor where none is told."""
    uncompiled: bool = False
    """Whether some of its operations ran in compiled code, and are run one by one here."""


def plain_number(value: Any) -> Any:
    """A value as JSON has it: numbers that JSON lacks as text in a mapping."""
    if isinstance(value, float) and value - value != 0:
        return {"number": repr(value)}
    return [plain_number(each) for each in value] if isinstance(value, list) else value


def number_of(value: Any) -> Any:
    """The reverse of `plain_number`."""
    if isinstance(value, dict):
        return float(str(value.get("number")))
    return [number_of(each) for each in value] if isinstance(value, list) else value


def read_graph(capture: Capture) -> StepGraph:
    """Reads the operations of a captured step.

    Raises:
        CaptureError: If they are missing or damaged, or can't be run again.
    """
    path = capture.path / GRAPH_FILE
    try:
        content = read_whole(path, _MOST_BYTES)
        refuse_deep(content.decode())
        graph = msgspec.json.decode(content, type=StepGraph)
    except FileNotFoundError:
        raise CaptureError(
            f"{capture.path} has no {GRAPH_FILE}, so its step can't be run again; take another capture"
        ) from None
    except (OSError, ValueError, msgspec.DecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise CaptureError(f"{path} can't be read: {reason}; take another capture") from None
    if graph.trouble:
        raise CaptureError(
            f"{capture.path} can't be run again: {graph.trouble}; show it with `tdbg capture show`, or record its "
            "program with `tdbg run`"
        )
    return graph
