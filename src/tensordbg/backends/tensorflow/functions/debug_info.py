"""Tells TensorFlow where the operations of an instrumented function were made, for the messages of its errors.

TensorFlow keeps the stacks of a function's operations beside the definition, and there is no way from Python to give a
new definition its stacks. They are asked for only to write the message of an error, so they are read from the Python
graph then. A node of ours has the stack of the operation that it looks at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.backends.tensorflow.functions.node_names import names_in_graph

Frames = tuple[tuple[str, int, str], ...]
"""File, line and function of each frame, outermost first."""


def complete(message: Any, function: Any) -> None:
    """Fills in the GraphDebugInfo of an AtomicFunction, with the nodes of functions that it calls.

    Copies of called functions, such as those whose writes a trap gates, are known to the runtime alone, so an error in
    one is looked for here.
    """
    stacks: dict[str, Frames] = {}
    for each in _with_called(function):
        for name, frames in _stacks_of(each).items():
            stacks.setdefault(name, frames)
    _fill(message, stacks)


def _with_called(function: Any) -> Iterator[Any]:
    """The function first."""
    waiting, seen = [function], set()
    while waiting:
        each = waiting.pop(0)
        if id(each) not in seen and hasattr(each, "cached_definition"):
            seen.add(id(each))
            yield each
            waiting.extend(each.children)


def _stacks_of(function: Any) -> dict[str, Frames]:
    """The stack of each node of a function, as far as it is known."""
    graph = function.graph
    made = {operation.name: operation.traceback for operation in graph.get_operations()}
    names = names_in_graph(list(function.cached_definition.node_def), graph)
    found = {tensor.op.name: tensor.op.name for tensor in graph.inputs} | names
    stacks = {node: _frames(made.get(name)) for node, name in found.items()}
    stacks |= _stacks_of_ours(function.definition.node_def, stacks)
    return {name: frames for name, frames in stacks.items() if frames}


def _stacks_of_ours(nodes: Iterable[Any], known: dict[str, Frames]) -> dict[str, Frames]:
    """Those of the nodes that were added: each has the stack of the first node of the program's that it depends on."""
    added = {node.name: [fd.node_of(name) for name in node.input] for node in nodes if node.name not in known}
    return {name: next((known[each] for each in _behind(name, added) if each in known), ()) for name in added}


def _behind(name: str, inputs: dict[str, list[str]]) -> Iterator[str]:
    """The nodes that a node takes something from, near ones first."""
    waiting, seen = list(inputs[name]), {name}
    while waiting:
        each = waiting.pop(0)
        if each not in seen:
            seen.add(each)
            yield each
            waiting.extend(inputs.get(each, ()))


def _frames(trace: Any) -> Frames:
    if trace is None:
        return ()
    try:
        return tuple((frame.filename, frame.lineno, frame.name) for frame in trace.get_user_frames())
    except RuntimeError:
        return ()  # TensorFlow can't tell a stack in which the name of a file is not in UTF-8


def _fill(message: Any, stacks: dict[str, Frames]) -> None:
    """Writes stacks into a GraphDebugInfo, in which files, frames and stacks are numbered and each is there once."""
    message.Clear()
    files: dict[str, int] = {}
    frames: dict[tuple[str, int, str], int] = {}
    traces: dict[Frames, int] = {}
    for name, stack in stacks.items():
        if stack not in traces:
            traces[stack] = len(traces)
            message.traces_by_id[traces[stack]].frame_id.extend(frames.setdefault(f, len(frames)) for f in stack)
        message.name_to_trace_id[name] = traces[stack]
    for (file, line, function), number in frames.items():
        frame = message.frames_by_id[number]
        frame.file_index, frame.line, frame.func = files.setdefault(file, len(files)), line, function
    message.files.extend(files)
