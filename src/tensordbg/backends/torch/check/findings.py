"""Describes the findings of checks, of what the observer in C++ hands over."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

from tensordbg.backends.torch.compiled.generated_lines import (
    GENERATED,
    differentiated_in_program,
    with_program_lines,
    with_program_lines_of_noted,
)
from tensordbg.backends.torch.module_frames import calls_module
from tensordbg.checking.finding import Culprit, Finding, Input
from tensordbg.health.measured import Measured
from tensordbg.health.spec import DTYPE_NUMBERS, DTYPES, MEASURABLE
from tensordbg.model import Frame
from tensordbg.recording.catalog import RawFrame
from tensordbg.recording.usercode import UserCode

RawTensor = tuple[int, tuple[int, ...], bytes, int]
"""The number of the dtype, the shape, the elements, and the place in a list, -1 where it is in none."""

_MOST_ROWS = 6


Forward = tuple[str, Sequence[RawFrame]]
"""What is being differentiated: the operation, and where it stood."""


@dataclass(frozen=True)
class Place:
    """Where an operation stands in the program."""

    frames: Sequence[RawFrame]
    """Innermost first."""
    forward: Forward | None
    backward: bool
    """Whether it is one of a backward pass."""
    compiled: str = ""
    """Tells how it was found in code that torch.compile has made; empty elsewhere."""
    module: str | None = None
    """Name of the part of the model that ran; None where the running frames tell."""


@dataclass(frozen=True)
class Bad:
    """An output that is not finite, as the observer hands it over."""

    op_type: str
    slot: int
    outputs: int
    tensor: RawTensor
    inputs: Sequence[RawTensor]
    place: Place


def in_program(frames: list[RawFrame], forward: Forward | None) -> tuple[list[RawFrame], Forward | None]:
    """The frames of what runs here, and what it differentiates, with the program's in place of generated ones."""
    differentiated = differentiated_in_program(frames)
    if differentiated is not None:
        return [frame for frame in frames if not frame[0].startswith(GENERATED)], differentiated
    if forward is not None:
        forward = forward[0], with_program_lines_of_noted(list(forward[1]))
    return with_program_lines(frames), forward


def finding_of(bad: Bad, user_code: UserCode) -> Finding:
    """The finding."""
    forward = None
    place = bad.place
    if place.forward is not None:
        forward = Culprit(place.forward[0], place.forward[0], frames_of(place.forward[1], user_code))
    return Finding(
        op_type=bad.op_type,
        name=bad.op_type,
        module=module_path(sys._getframe(1)) if place.module is None else place.module,  # noqa: SLF001
        slot=bad.slot,
        outputs=bad.outputs,
        tensor=measured_of(bad.tensor),
        inputs=tuple(_input(each) for each in bad.inputs),
        frames=frames_of(place.frames, user_code),
        forward=forward,
    )


def frames_of(raw: Sequence[RawFrame], user_code: UserCode) -> tuple[Frame, ...]:
    """The frames that are not ours, outermost first."""
    return tuple(
        Frame(file, line, function, user_code.is_user(file))
        for file, line, function in reversed(raw)
        if not user_code.is_own(file)
    )


def measured_of(raw: RawTensor) -> Measured:
    """A tensor with its health."""
    number, shape, elements, _ = raw
    name = DTYPES[number]
    if name == "bfloat16" or name.startswith("float8"):
        import ml_dtypes

        return Measured(np.frombuffer(elements, getattr(ml_dtypes, name)).reshape(shape))
    return Measured(np.frombuffer(elements, name).reshape(shape))


def has_health(value: Any) -> bool:
    """Whether a value is a tensor of a dtype that has a health."""
    import torch

    return isinstance(value, torch.Tensor) and str(value.dtype).removeprefix("torch.") in MEASURABLE


def raw(tensor: Any) -> RawTensor:
    """A tensor of PyTorch's as the observer hands it over."""
    import torch

    elements = tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return DTYPE_NUMBERS[str(tensor.dtype).removeprefix("torch.")], tuple(tensor.shape), elements, -1


def _input(raw: RawTensor) -> Input:
    measured = measured_of(raw)
    shape = ", ".join(str(size) for size in raw[1])
    text = f"tensor of {measured.array.dtype.name}[{shape}]"
    if measured.array.size <= _MOST_ROWS:
        text += f": {np.array2string(measured.array, separator=', ')}".replace("\n", "")
    return Input(text, measured)


def module_path(frame: FrameType | None) -> str:
    """The name of the module that runs, in the outermost one that does; empty outside of any."""
    running: list[Any] = []
    while frame is not None:
        if calls_module(frame):
            running.append(frame.f_locals.get("self"))
        frame = frame.f_back
    if not running:
        return ""
    outermost = running[-1]
    names = {id(module): name for name, module in outermost.named_modules()}
    return names.get(id(running[0])) or type(running[0]).__name__
