"""Finds the program's lines where code runs that PyTorch has generated from it, as the backend `aot_eager` does.

Such code is a method of an FX graph, in a file by the name `<eval_with_key>.3`. Each of its lines computes one
operation of the graph, which knows where it came from; `_lineno_map` and `_prologue_start` of the graph's module,
private to PyTorch, tell which. Where they are missing, the generated line is shown. The number that autograd gives to
an operation, `seq_nr`, is that of its gradient too.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Differentiated:
    """The mark that an operation and those of its gradient share."""

    sequence: int
    """Autograd's number, of one compilation."""
    written: str
    """Where it stands in the program."""


def differentiated(frames: list[RawFrame]) -> Differentiated | None:
    """Finds the mark of the generated line that runs in this thread; None where there is none, or it is not known."""
    if not any(file.startswith(GENERATED) for file, _, _ in frames):
        return None
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None:
        if frame.f_code.co_filename.startswith(GENERATED):
            node = _operation(frame.f_locals.get("self"), frame.f_lineno)
            number = node.meta.get("seq_nr") if node is not None else None
            return None if number is None else Differentiated(int(number), node.meta.get("stack_trace") or "")
        frame = frame.f_back
    return None


def with_program_lines_of_noted(frames: list[RawFrame]) -> list[RawFrame]:
    """Frames that ran before, the innermost first, with the program's in place of generated ones.

    The graphs are looked for among all objects there are, so this takes a while.
    """
    files = {file for file, _, _ in frames if file.startswith(GENERATED)}
    if not files:
        return frames
    base = _graph_class()
    graphs = {_file(each): each for each in gc.get_objects() if issubclass(type(each), base) and _file(each) in files}
    result: list[RawFrame] = []
    for frame in frames:
        result += (_program_frames(graphs[frame[0]], frame[1]) if frame[0] in graphs else []) or [frame]
    return result


def differentiated_in_program(frames: list[RawFrame]) -> tuple[str, list[RawFrame]] | None:
    """The operation that the generated line of this thread differentiates, and its frames, the innermost first.

    None where no generated line runs, it is one of a forward pass, or that is not known.
    """
    if not any(file.startswith(GENERATED) for file, _, _ in frames):
        return None
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    while frame is not None and not frame.f_code.co_filename.startswith(GENERATED):
        frame = frame.f_back
    node = None if frame is None else _operation(frame.f_locals.get("self"), frame.f_lineno)
    functions = [] if node is None else node.meta.get("fwd_source_fn_stack")
    if node is None or not functions:
        return None
    function = functions[-1][1]
    name = function if isinstance(function, str) else getattr(function, "__name__", str(function))
    return name, list(frames_in(node.meta.get("stack_trace") or ""))[::-1]


def _graph_class() -> type:
    from torch.fx import GraphModule

    return GraphModule


def _file(graph: Any) -> str:
    """The file that a graph's generated code goes by."""
    code = getattr(getattr(type(graph), "forward", None), "__code__", None)
    return "" if code is None else str(code.co_filename)


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
    node = _operation(module, line)
    return list(frames_in((node.meta.get("stack_trace") if node is not None else None) or ""))[::-1]


def _operation(module: Any, line: int) -> Any:
    """The operation of a graph that a generated line computes; None where that is not known."""
    numbers, begin = getattr(module, "_lineno_map", None), getattr(module, "_prologue_start", 0)
    place = numbers.get(line - begin) if numbers else None
    graph = getattr(module, "graph", None)
    if place is None or graph is None:
        return None
    nodes = list(graph.nodes)
    return nodes[place] if place < len(nodes) else None
