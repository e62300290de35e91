"""Has a program's own tensors hold what a captured step was given.

A tensor is made to look at a memory of the capture; what the program's own memory holds, which may be a file, stays as
it is. Other tensors that looked at the same memory follow: of a text the program may have at hand what comes in, and
what is to come out, which is the same shifted by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import FrameType
from typing import Any

from tensordbg.backends.torch.captured.graph import GRAPH_TENSORS_FILE, At, StepGraph, read_graph
from tensordbg.backends.torch.replay.captured_step import CapturedStep
from tensordbg.backends.torch.replay.memory import Memories, contents, looks, tensor_of
from tensordbg.backends.torch.replay.precision import Precision
from tensordbg.backends.torch.trap.graph_files import dtype_of
from tensordbg.backends.torch.trap.names import tensors_in_frames
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import read_tensors
from tensordbg.errors import CaptureError


@dataclass(frozen=True)
class _Moved:
    """A memory of the program in the place of which a captured one is looked at."""

    storage: Any
    """Is kept, so that no other can lie there."""
    at: At
    by: int
    """How many elements further on something lies in the captured one."""
    rows_before: int
    """How many rows the batch has in the program."""
    rows: int
    """How many it had in the capture."""


class CapturedInputs:
    """The captured inputs of a step."""

    def __init__(self, capture: Capture, step: CapturedStep) -> None:
        """Reads them; also of a step that can't be run without its program.

        Raises:
            CaptureError: If they are damaged.
        """
        self._batch = capture.batch()
        self._graph = _graph_of(capture)
        self._memories = Memories()
        self._ats = {
            piece.number: piece.at for each in self._graph.outside for piece in each.pieces if not piece.variable
        }
        self._bounds = {each.memory: (each.low, each.low + each.size) for each in self._graph.outside}
        pieces = {(False, number): array for number, array in self._batch.items()}
        pieces |= {(True, number): array for number, array in capture.variables().items()}
        try:
            raw = read_tensors(capture.path / GRAPH_TENSORS_FILE) if self._bounds else {}
            for outside, at, elements in contents(self._graph, raw, pieces, Precision("")):
                self._memories.fill(outside, at, elements)
        except (KeyError, ValueError, RuntimeError, MemoryError, OverflowError) as error:
            raise CaptureError(f"{capture.path} does not hold what its step takes: {error!r}") from None
        numbers = [set(_numbers_in((*call.args, *call.kwargs.values()))) for call in step.calls]
        self._names = {
            each.argument: each.tensor.name
            for each in capture.header.arguments
            if each.argument in self._batch and not any(each.argument in given for given in numbers)
        }
        self._windows = self._windows_of(numbers)
        self._moved: dict[int, _Moved] = {}
        """Memories of the program that hold an input, by where they lie."""
        self._ours: dict[int, Any] = {}
        """Tensors of the program that have been made to hold what was captured, by identity."""

    @property
    def unnoticed(self) -> tuple[str, ...]:
        """Names of inputs that the program has not been given."""
        return tuple(self._names.values())

    def give(self, given: Sequence[tuple[int, Any]], call: int, frames: tuple[FrameType, ...]) -> list[str]:
        """Has a call of a module, and the program around it, take what was captured.

        Args:
            given: Tensors that the module is called with, by the numbers of those captured.
            call: The number of the call.
            frames: Those of the program.

        Returns:
            What could not be given, in words.
        """
        at_hand = [*tensors_in_frames(frames)]
        known = dict(reversed(at_hand))  # of one name the innermost
        refused = [self._put(number, tensor) for number, tensor in given]
        for number, name in list(self._names.items()):
            if self._windows.get(number, 0) <= call and name in known:
                refused.append(self._put(number, known[name]))
                del self._names[number]
        for _, tensor in at_hand:
            self._follow(tensor)
        return [each for each in refused if each]

    def gradient(self, at: At) -> Any:
        """A gradient from before the step, to which it adds; None where the step made it."""
        if at.memory not in self._bounds:
            return None
        return self._memories.tensor(at, dtype_of(at.dtype)).clone()

    def _put(self, number: int, tensor: Any) -> str:
        """Has a tensor hold a captured one; what the step has made itself stays as it is now."""
        at = self._ats.get(number)
        if tensor.grad_fn is not None or id(tensor) in self._ours or (self._bounds and at is None):
            return ""
        if number not in self._batch:
            return "an input that was not kept"
        if at is None:
            return self._show(tensor, tensor_of(self._batch[number]))
        if tuple(tensor.stride()) == at.strides and (storage := _storage_of(tensor)) is not None:
            rows = (tensor.shape[0], at.sizes[0]) if at.sizes else (0, 0)
            self._moved[storage.data_ptr()] = _Moved(storage, at, at.offset - tensor.storage_offset(), *rows)
        return self._show(tensor, self._memories.tensor(at, dtype_of(at.dtype)))

    def _follow(self, tensor: Any) -> None:
        """Has a tensor look at the captured memory where it looks at one that has been moved there."""
        storage = _storage_of(tensor)
        moved = None if storage is None else self._moved.get(storage.data_ptr())
        if moved is None or id(tensor) in self._ours or tensor.grad_fn is not None:
            return
        at, dtype = moved.at, dtype_of(moved.at.dtype)
        rows = [moved.rows] if tensor.dim() and tensor.shape[0] == moved.rows_before else [*tensor.shape[:1]]
        sizes = (*rows, *tensor.shape[1:])
        there = At(at.memory, at.dtype, tensor.storage_offset() + moved.by, sizes, tuple(tensor.stride()))
        if tensor.dtype == dtype and self._is_inside(there):
            self._show(tensor, self._memories.tensor(there, dtype))

    def _show(self, tensor: Any, captured: Any) -> str:
        unlike = f"an input of {list(captured.shape)} in the place of one of {list(tensor.shape)}"
        if tensor.dim() != captured.dim():
            return unlike
        try:
            tensor.data = captured.to(tensor.device)
        except (RuntimeError, TypeError):
            return unlike
        self._ours[id(tensor)] = tensor
        return ""

    def _is_inside(self, at: At) -> bool:
        low, high = self._bounds[at.memory]
        item = dtype_of(at.dtype).itemsize
        last = at.offset + sum((size - 1) * stride for size, stride in zip(at.sizes, at.strides, strict=True))
        return bool(prod(at.sizes)) and low <= at.offset * item and (last + 1) * item <= high

    def _windows_of(self, numbers: Sequence[set[int]]) -> dict[int, int]:
        """The last call that went before the first use of each input that is not given to a module.

        What a program calls `label` when it is captured is that of the last call, where gradients of several are added.
        """
        firsts: dict[int, int] = {}
        for place, operation in enumerate(self._graph.operations):
            for at in looks(operation):
                firsts.setdefault(at.memory, place)
        used = {number: firsts[at.memory] for number, at in self._ats.items() if at.memory in firsts}
        begun = [min((used[number] for number in given if number in used), default=0) for given in numbers]
        return {
            number: max((call for call, begin in enumerate(begun) if begin <= first), default=0)
            for number, first in used.items()
        }


def _graph_of(capture: Capture) -> StepGraph:
    """The operations of the step; none where it can't be run without its program."""
    try:
        return read_graph(capture)
    except CaptureError:
        return StepGraph()


def _storage_of(tensor: Any) -> Any:
    """The memory that a tensor looks at; None where it has none, or an empty one."""
    try:
        storage = tensor.untyped_storage()
        return storage if storage.data_ptr() else None
    except (RuntimeError, NotImplementedError):
        return None


def _numbers_in(told: Any) -> Iterator[int]:
    if isinstance(told, Mapping):
        if isinstance(told.get("tensor"), int):
            yield told["tensor"]
        for each in told.values():
            yield from _numbers_in(each)
    elif isinstance(told, (list, tuple)):
        for each in told:
            yield from _numbers_in(each)
