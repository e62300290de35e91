"""All that is private in Dynamo, which splits programs into graphs, and used: each with what it is relied on for.

Looked at in PyTorch 2.4 to 2.13; `tests/backends/torch/compiled/test_dynamo.py` fails where one of these changes.

- `torch._dynamo.convert_frame`: while it compiles a frame, a function of it has that in its variable `frame`.
- `torch._dynamo.output_graph.OutputGraph.compile_subgraph`: while a graph is lowered, that function has in its variable
  `reason` why the graph ends there: `reason`, a text; `graph_break`; `user_stack`, the frames, outermost first.
- `torch._guards.CompileContext.current_compile_id()`: which compilation runs, also in that of its backward pass.
- `torch._dynamo.convert_frame.output_codes`: its `seen` lists weak references to the code that was made of frames, and
  is empty after a reset.
- `torch._dynamo.utils.counters`: under `graph_break` why functions were split, each reason with its name in its first
  line.
- `torch._C._dynamo.eval_frame.get_eval_frame_callback()`, since 2.6: what Dynamo does with the frames of this thread,
  None where it does nothing.
- `torch._dynamo.decorators.skip(function)` has Dynamo run a function as it is wherever it is called, and compile what
  that calls as ever; `torch.compiler.disable` does so only for all that is called too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any
from weakref import WeakSet

_CALLBACK = "get_eval_frame_callback"
_COMPILER = "/torch/_dynamo/convert_frame.py"
_ENDING = ("/torch/_dynamo/output_graph.py", "compile_subgraph")


def compiled_codes() -> WeakSet[CodeType]:
    """The code that was compiled in this process and may still run; after `torch._dynamo.reset()` there is none."""
    dynamo = sys.modules.get("torch._dynamo.convert_frame")
    seen = [] if dynamo is None else [each() for each in dynamo.output_codes.seen]
    return WeakSet(code for code in seen if code is not None)


def has_compiled() -> bool:
    """Whether code was compiled in this process, and may still run."""
    dynamo = sys.modules.get("torch._dynamo.convert_frame")
    return dynamo is not None and bool(dynamo.output_codes.seen)


def runs_compiled() -> Callable[[], object]:
    """Gives what tells whether Dynamo, which is imported, looks at the frames of this thread: None if not.

    Where this version has nothing that tells, that is something always.
    """
    told: Callable[[], object] | None = getattr(sys.modules["torch._C._dynamo.eval_frame"], _CALLBACK, None)
    return told or object


def leave_out(function: Callable[..., Any]) -> None:
    """Has Dynamo, which is imported, leave a function out of what it compiles, and nothing that the function calls."""
    skip = getattr(sys.modules["torch._dynamo.decorators"], "skip", None)
    if skip is not None:
        skip(function)


def reason_of_split() -> str:
    """Why a function was split last; empty where that is not known."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    reasons = [] if dynamo is None else list(dynamo.counters["graph_break"])
    return str(reasons[-1]).splitlines()[0] if reasons else ""


def compilation() -> tuple[str, str]:
    """Names the compilation under way: the frame's, which all of its share, and its own."""
    from torch._guards import CompileContext

    known = CompileContext.current_compile_id()
    return (str(known.frame_id), str(known)) if known is not None else ("", "")


@dataclass(frozen=True)
class Split:
    """A place at which a graph ends though its function goes on."""

    reason: str
    places: tuple[tuple[str, int, str], ...]
    """File, line and name of the function that is compiled, and of those that it calls there."""


@dataclass(frozen=True)
class CompiledFrame:
    """The call of a function that is being compiled."""

    code: CodeType
    values: dict[str, Any]
    """Its variables, which are its arguments as yet."""
    around: FrameType | None
    """The frame that called it."""
    split: Split | None = None
    """Where it is split; None where the graph ends with the function."""


def compiled_frame() -> CompiledFrame | None:
    """The frame for which compilation runs in this thread, None in that of a backward pass that runs later."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    found: CompiledFrame | None = None
    split: Split | None = None
    while frame is not None:
        split = split or _split_in(frame)
        if frame.f_code.co_filename.endswith(_COMPILER):
            compiled: Any = frame.f_locals.get("frame")
            if hasattr(compiled, "f_code") and hasattr(compiled, "f_locals"):
                found = CompiledFrame(compiled.f_code, dict(compiled.f_locals), frame.f_back, split)
        elif found is not None:
            return CompiledFrame(found.code, found.values, frame, split)
        frame = frame.f_back
    return found


def _split_in(frame: FrameType) -> Split | None:
    """Where the graph ends that this frame has compiled, if it is the one that does so."""
    file, name = _ENDING
    if frame.f_code.co_name != name or not frame.f_code.co_filename.endswith(file):
        return None
    told: Any = frame.f_locals.get("reason")
    if not getattr(told, "graph_break", False):
        return None
    lines = str(getattr(told, "reason", "")).splitlines()
    stack = getattr(told, "user_stack", ())
    return Split(lines[0] if lines else "", tuple((each.filename, each.lineno or 0, each.name) for each in stack))
