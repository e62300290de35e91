"""Finds the program's lines where code runs that PyTorch has generated from it, as the backend `aot_eager` does.

Such code is a method of an FX graph, in a file by the name `<eval_with_key>.3`. Each of its lines computes one
operation of the graph, which knows where it came from; `_lineno_map` and `_prologue_start` of the graph's module,
private to PyTorch, tell which. Where they are missing, the generated line is shown.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from tensordbg.recording.catalog import RawFrame

GENERATED = "<eval_with_key>"
_FRAME = re.compile(r'^\s*File "(.*)", line (\d+), in (.*)$')


def frames_in(text: str) -> Iterator[RawFrame]:
    """The frames of a stack as an operation of a graph has it written down, outermost first."""
    for line in text.splitlines():
        found = _FRAME.match(line)
        if found:
            yield found[1], int(found[2]), found[3]


def with_program_lines(frames: list[RawFrame]) -> list[RawFrame]:
    """Frames, the innermost first, with the program's in place of generated ones; those must be running."""
    if not any(file.startswith(GENERATED) for file, _, _ in frames):
        return frames
    running = _running()
    result: list[RawFrame] = []
    for frame in frames:
        if frame[0].startswith(GENERATED):
            result += running.get(frame[:2], [frame])
        else:
            result.append(frame)
    return result


def _running() -> dict[tuple[str, int], list[RawFrame]]:
    """The program's frames, the innermost first, of each generated line that runs in this thread."""
    found: dict[tuple[str, int], list[RawFrame]] = {}
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(GENERATED):
            frames = _program_frames(frame.f_locals.get("self"), frame.f_lineno)
            if frames:
                found[code.co_filename, frame.f_lineno] = frames
        frame = frame.f_back
    return found


def _program_frames(module: Any, line: int) -> list[RawFrame]:
    numbers, begin = getattr(module, "_lineno_map", None), getattr(module, "_prologue_start", 0)
    place = numbers.get(line - begin) if numbers else None
    graph = getattr(module, "graph", None)
    if place is None or graph is None:
        return []
    nodes = list(graph.nodes)
    text = nodes[place].meta.get("stack_trace") if place < len(nodes) else None
    return list(frames_in(text or ""))[::-1]
