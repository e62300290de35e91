"""Makes of what was noted of a bad step the files of its capture that a replay runs."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from tensordbg.backends.torch.captured import graph as step_graph
from tensordbg.backends.torch.captured.graph import GRAPH_FILE, GRAPH_TENSORS_FILE, Before, StepGraph, plain_number
from tensordbg.backends.torch.trap.step_log import At, Content, Noted
from tensordbg.capture.tensors import Array
from tensordbg.recording.catalog import CATALOG
from tensordbg.trace.program.rows import source_row, stack_row

_DTYPES = (
    *("uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex32", "complex64"),
    *("complex128", "bool", "qint8", "quint8", "qint32", "bfloat16", "quint4x2", "quint2x4", "bits1x8", "bits2x4"),
    *("bits4x2", "bits8", "bits16", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz", "uint16"),
    *("uint32", "uint64"),
)
"""By PyTorch's numbers."""


_ALIGNED = 64
"""What is kept of a memory begins at a multiple of so many bytes, so that it can lie as it did."""


@dataclass(frozen=True)
class Kept:
    """A tensor of the capture."""

    variable: bool
    """Whether it is a variable, else an input."""
    number: int
    at: At


@dataclass(frozen=True)
class StepInputs:
    """The inputs and variables of a step, and how they came."""

    kept: Sequence[Kept]
    """The inputs and variables that the capture has."""
    before: Before
    """The moment before which the rest was there."""
    loaded: frozenset[int] = frozenset()
    """The memories that are as a `DataLoader` gave them."""
    sent: frozenset[int] = frozenset()
    """Those that hold what other processes have sent."""

    def since(self, memory: int) -> Before:
        """How a memory came."""
        if memory in self.sent:
            return Before.PROCESSES
        return Before.LOADER if memory in self.loaded else self.before


def dtype_of(number: int) -> Any:
    """PyTorch's dtype with a number of its own; None where it is not known."""
    import torch

    return getattr(torch, _DTYPES[number], None) if 0 <= number < len(_DTYPES) else None


def number_of_dtype(dtype: Any) -> int:
    """PyTorch's number of a dtype, -1 of one that a capture can't have."""
    name = str(dtype).removeprefix("torch.")
    return _DTYPES.index(name) if name in _DTYPES else -1


def tensor_in(memory: Content, at: At) -> Any:
    """A tensor in a memory from outside, as it was before the step."""
    import torch

    dtype = dtype_of(at.dtype)
    raw = torch.frombuffer(bytearray(memory.elements or bytes(1)), dtype=torch.uint8).untyped_storage()
    empty = torch.empty(0, dtype=dtype, device="cpu")
    return empty.set_(raw, at.offset - memory.low // dtype.itemsize, at.sizes, at.strides)


def covers(memory: Content, pieces: Sequence[At]) -> bool:
    """Whether tensors fill all of a memory that the step uses."""
    used: int = sum(_elements(at) * dtype_of(at.dtype).itemsize for at in set(pieces))
    begin = min((at.offset * dtype_of(at.dtype).itemsize for at in pieces), default=memory.low)
    return used >= len(memory.elements) - max(0, begin - memory.low)


def widened(memory: Content, pieces: Sequence[At]) -> Content:
    """A memory with room for whole tensors of which the step has used a part, such as the first rows of a mask."""
    low, elements = memory.low, memory.elements
    spans = [_bytes_of(at) for at in pieces if 0 not in at.sizes]
    begin = min([low, *(first // _ALIGNED * _ALIGNED for first, _ in spans)])
    end = max([low + len(elements), *(last for _, last in spans)])
    room = bytes(low - begin), bytes(end - low - len(elements))
    return memory._replace(low=begin, elements=room[0] + elements + room[1])


def _bytes_of(at: At) -> tuple[int, int]:
    item = dtype_of(at.dtype).itemsize
    last = at.offset + sum((size - 1) * stride for size, stride in zip(at.sizes, at.strides, strict=True))
    return at.offset * item, (last + 1) * item


def _elements(at: At) -> int:
    """How many there are in memory: an expanded tensor shows one many times."""
    return math.prod(size for size, stride in zip(at.sizes, at.strides, strict=True) if stride)


def files_of(noted: Noted, given: StepInputs, targets: Sequence[step_graph.Target]) -> dict[str, bytes]:
    """The files of a capture that say what the step computes.

    Args:
        noted: What was noted of it.
        given: What it took from outside.
        targets: What the trap had tested.
    """
    from safetensors.numpy import save

    if noted.trouble:
        return troubled(noted.trouble)
    stacks = _Stacks(noted.stacks)
    raw: dict[str, Array] = {
        f"state{number}": np.frombuffer(state.content, np.uint8) for number, state in enumerate(noted.states)
    }
    graph = StepGraph(
        operations=tuple(_operations(noted, stacks)),
        outside=tuple(_outside(noted, given, raw)),
        targets=tuple(targets),
        notes=tuple(_notes(noted)),
        generators=tuple(state.device for state in noted.states),
        uncompiled=noted.uncompiled,
    )
    return {GRAPH_FILE: msgspec.json.encode(graph), GRAPH_TENSORS_FILE: save(dict(raw)), **stacks.files()}


def troubled(why: str) -> dict[str, bytes]:
    """The files of a step that can't be run again."""
    return {GRAPH_FILE: msgspec.json.encode(StepGraph(trouble=why))}


def _operations(noted: Noted, stacks: _Stacks) -> Iterator[step_graph.Operation]:
    done: Counter[tuple[Any, ...]] = Counter()
    for name, overload, arguments, results, stack, forward, node, autocast, state, grad in noted.operations:
        before = done[node, name, overload] if node >= 0 else 0
        done[node, name, overload] += 1
        yield step_graph.Operation(
            name,
            overload,
            tuple(_argument(*each) for each in arguments),
            tuple(map(at_of, results)),
            stacks.number(stack),
            forward,
            min(before, 3) - 1,
            autocast,
            state,
            bool(grad),
        )


def _argument(kind: str, told: Any) -> step_graph.Argument:
    if kind == "t":
        return step_graph.Argument(tensor=at_of(told))
    if kind == "l":
        return step_graph.Argument(tensors=tuple(map(at_of, told)))
    return step_graph.Argument(value=plain_number(told))


def at_of(told: tuple[Any, ...] | None) -> step_graph.At | None:
    """A way to look at a memory as the capture has it."""
    return None if told is None else step_graph.At(*told)


def _outside(noted: Noted, given: StepInputs, raw: dict[str, Array]) -> Iterator[step_graph.Outside]:
    by_memory: dict[int, list[Kept]] = {}
    for each in given.kept:
        by_memory.setdefault(each.at.memory, []).append(each)
    for number, used in enumerate(noted.memories):
        if used is None:
            continue
        pieces = by_memory.get(number, [])
        memory = widened(used, [each.at for each in pieces])
        key = ""
        if not covers(memory, [each.at for each in pieces]):
            key = f"memory{number}"
            raw[key] = np.frombuffer(memory.elements, np.uint8)
        yield step_graph.Outside(
            number,
            memory.low,
            len(memory.elements),
            tuple(step_graph.Piece(each.variable, each.number, step_graph.At(*each.at)) for each in pieces),
            key,
            memory.device,
            given.since(number),
        )


def _notes(noted: Noted) -> Iterator[str]:
    if any(memory is not None and memory.written for memory in noted.memories):
        yield (
            "what the step was given has been written by something that is not seen, such as compiled code or NumPy, "
            "and is as it was then"
        )
    if noted.arrived:
        yield "what came from other processes is as it was then"
    yield from noted.notes


class _Stacks:
    """The stacks of operations, with the texts of their files."""

    def __init__(self, stacks: Mapping[int, Sequence[Any]]) -> None:
        self._stacks = stacks
        self._numbers: dict[int, int] = {}

    def number(self, stack: int) -> int:
        if stack not in self._numbers:
            frames = tuple(self._stacks.get(stack, ()))[::-1]
            self._numbers[stack] = CATALOG.stack(frames[-128:]) if frames else -1
        return self._numbers[stack]

    def files(self) -> dict[str, bytes]:
        numbers = sorted(set(self._numbers.values()) - {-1})
        files = dict.fromkeys(frame.file for number in numbers for frame in CATALOG.frames(number))
        return {
            "stacks.jsonl": _lines(stack_row(number, CATALOG.frames(number)) for number in numbers),
            "sources.jsonl": _lines(source_row(CATALOG.source(file)) for file in files),
        }


def _lines(rows: Iterator[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode("utf-8", "backslashreplace")
