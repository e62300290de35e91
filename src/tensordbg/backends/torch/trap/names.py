"""Finds the program's names for what a step took from outside, such as the labels of a batch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from math import prod
from pathlib import Path
from types import FrameType
from typing import Any

from tensordbg.backends.torch.trap.graph_files import dtype_of
from tensordbg.backends.torch.trap.step_log import At, Noted

_ALIGNED = 64
"""What is kept of a memory begins at a multiple of so many bytes."""
_DEEPEST = 32
_MOST = 200
"""So many frames are searched, and so many parts of a list."""


def program_frames() -> tuple[FrameType, ...]:
    """The frames of the program that lead here, the innermost first."""
    plumbing = tuple(f"{Path(sys.modules[name].__file__ or '/').parent}/" for name in ("torch", "tensordbg"))
    found: list[FrameType] = []
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  a public function of this implementation
    while frame is not None and len(found) < _DEEPEST:
        if not frame.f_code.co_filename.startswith(plumbing):
            found.append(frame)
        frame = frame.f_back
    return tuple(found)


def named_memories(
    noted: Noted, find: Callable[[Any], At | None], frames: tuple[FrameType, ...]
) -> Iterator[tuple[str, At]]:
    """Gives a name for each memory from outside, and how it is looked at.

    Args:
        noted: What the step has done.
        find: Where a tensor lies, None where the step has not used it.
        frames: Those of the program.
    """
    firsts = {i: At(*each) for i, each in enumerate(noted.firsts) if each is not None and noted.memories[i] is not None}
    names: dict[int, str] = {}
    exact: set[int] = set()
    whole: dict[int, At] = {}
    for name, tensor in tensors_in_frames(frames):
        at = find(tensor)
        if at is None or at.memory not in firsts or at.memory in exact:
            continue
        if at == firsts[at.memory]:
            exact.add(at.memory)
            names[at.memory] = name
        elif _is_whole(noted, at) and (at.memory not in whole or prod(at.sizes) > prod(whole[at.memory].sizes)):
            whole[at.memory] = at
            names[at.memory] = name
        names.setdefault(at.memory, name)
    taken: set[str] = set()
    for count, (memory, at) in enumerate(firsts.items()):
        if memory not in names and not at.sizes:
            continue  # a number of the program's text
        name = names.get(memory, f"outside{count}")
        name = name if name not in taken else f"{name}_{memory}"
        taken.add(name)
        yield name, at if memory in exact else whole.get(memory, at)


def _is_whole(noted: Noted, at: At) -> bool:
    """Whether a tensor is just what the step has used of a memory, as a batch is that is gone through in parts."""
    memory, item = noted.memories[at.memory], dtype_of(at.dtype).itemsize
    if memory is None:
        return False
    begin, end = at.offset * int(item), memory.low + len(memory.elements)
    return 0 <= begin - memory.low < _ALIGNED and begin + prod(at.sizes) * int(item) == end


def tensors_in_frames(frames: tuple[FrameType, ...]) -> Iterator[tuple[str, Any]]:
    """Gives the tensors that a program has at hand, with its names for them."""
    from torch import Tensor

    for frame in frames:
        for name, value in [*frame.f_locals.items()]:
            if isinstance(value, Tensor):
                yield name, value
            elif isinstance(value, Mapping) and len(value) < _MOST:
                for key, each in [*value.items()]:
                    if isinstance(each, Tensor):
                        yield f"{name}.{key}", each
            elif type(value) in (list, tuple) and len(value) < _MOST:
                for number, each in enumerate(value):
                    if isinstance(each, Tensor):
                        yield f"{name}[{number}]", each
