"""What a check found: a tensor that is not finite, and what went into the operation that made it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.capture.texts import unpacked_texts
from tensordbg.health.native import measure
from tensordbg.health.spec import MEASURABLE
from tensordbg.model import NONE, Frame, Health

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Measured:
    """A tensor and its health."""

    array: NDArray[Any]

    @classmethod
    def from_memory(cls, enum: int, shape: tuple[int, ...], memory: memoryview | bytes) -> Measured:
        """From the elements of a tensor where they lie, strings as `packed_texts` gives them.

        Args:
            enum: TensorFlow's number of its dtype.
            shape: Its shape.
            memory: Its elements.
        """
        import tensorflow as tf  # imported by the program already

        if enum == dtypes.STRING:
            return cls(unpacked_texts(np.frombuffer(memory, np.uint8), shape))
        dtype = np.dtype(tf.dtypes.as_dtype(enum).as_numpy_dtype)
        if 0 in shape:
            return cls(np.empty(shape, dtype))
        return cls(np.frombuffer(memory, np.uint8).view(dtype).reshape(shape))

    @cached_property
    def health(self) -> Health | None:
        """Its statistics, None where its dtype has none."""
        return measure(self.array) if self.array.dtype.name in MEASURABLE else None

    @property
    def bad_index(self) -> tuple[int, ...] | None:
        """Where its first element lies that is not finite, None where all are."""
        if self.health is None or self.health.first_bad == NONE:
            return None
        return (
            tuple(int(i) for i in np.unravel_index(self.health.first_bad, self.array.shape)) if self.array.ndim else ()
        )

    def element(self, index: tuple[int, ...], shape: tuple[int, ...]) -> Any:
        """The element that went into the element at `index` of an operation's output, None where that can't be told."""
        try:
            return np.broadcast_to(self.array, shape)[index]
        except ValueError:
            return None


@dataclass(frozen=True)
class Input:
    """One input of the operation."""

    text: str
    """As TensorFlow writes a tensor."""
    measured: Measured | None
    origin: str = ""
    """Where it comes from, such as `argument "x"`."""


@dataclass(frozen=True)
class Culprit:
    """The operation to fix in place of the one at which the bad number was found."""

    op_type: str
    name: str
    frames: tuple[Frame, ...]
    """Of its creation, outermost first."""

    @property
    def place(self) -> Frame | None:
        """The innermost line of the program's own code."""
        return own_line(self.frames)


@dataclass(frozen=True)
class Finding:
    """An operation that made a bad number, or took one in that nobody had checked."""

    op_type: str
    name: str
    slot: int
    outputs: int
    """Number of the operation's outputs."""
    tensor: Measured
    inputs: tuple[Input, ...]
    frames: tuple[Frame, ...]
    """Of the operation's creation, outermost first; of an eager operation the Python stack."""
    function: str = ""
    """Name of the graph; empty for an eager operation."""
    path: str = ""
    """The calls through which the graph was reached."""
    iteration: int | None = None
    """Of the innermost loop, from 0."""
    variables: tuple[str, ...] = ()
    """Names of the variables that the operation reads."""
    forward: Culprit | None = None
    """The operation whose gradient it computes, where that is known."""
    update: Culprit | None = None
    """The update that made the variable bad which it reads, where that is known."""


def own_line(frames: tuple[Frame, ...]) -> Frame | None:
    """The innermost line of the program's own code in a stack."""
    return next((frame for frame in reversed(frames) if frame.user), None)
