"""All that is private in PyTorch and used to see inside of compiled code, each with what it is relied on for.

Looked at in PyTorch 2.13; `tests/backends/torch/compiled/test_internals.py` fails where one of these changes.

- `torch._inductor.scheduler.Scheduler.free_buffers(self)` is called after the call of each kernel was written and
  before what it has read is given back; `name_to_buf` has the buffers, and their `node` the IR: `origin_node` is the
  operation that a buffer holds the result of, `origins` all that were fused into it.
- `torch._inductor.virtualized.V.graph` is the `GraphLowering` under way: `graph` and `module` are the FX graph,
  `wrapper_code` writes the Python code; its `allocated` and `freed` say which names hold buffers at this point.
- `GraphLowering.compile_to_module(self)` gives the module of that code, and its `call` takes the list of inputs and
  returns the tuple of results.
- `torch._dynamo.convert_frame`: while it compiles a frame, a function of it has that in its variable `frame`.
- `torch._guards.CompileContext.current_compile_id()`: which compilation runs, also in that of its backward pass.
- `torch._dynamo.utils.counters`: how many frames were compiled, under `frames` and `ok`, and under `graph_break` why
  functions were split, each reason with its name in its first line.
- `torch._inductor.config.fx_graph_cache` and `torch._functorch.config.enable_autograd_cache`: whether compiled
  code is kept on disk and taken from there.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, ModuleType
from typing import Any

WATCHED = "torch._inductor.compile_fx"
"""The module with whose import the hooks can be set."""

_COMPILER = "/torch/_dynamo/convert_frame.py"


@dataclass(frozen=True)
class Stored:
    """A buffer that a kernel has just stored."""

    name: str
    """In the generated code, where it is alive."""
    node: Any
    """The operation of the graph whose result it holds."""
    slot: int


class Hooks:
    """The hooks into Inductor."""

    def __init__(self) -> None:
        self._undo = contextlib.ExitStack()

    def set(self, stored: Callable[[Any, list[Stored]], list[str]], loaded: Callable[[Any, ModuleType], None]) -> None:
        """Sets them.

        Args:
            stored: Is given a graph and what a kernel of it has stored, and gives the lines to be written there.
            loaded: Is given a graph and the module that was made of it.
        """
        from torch._inductor.graph import GraphLowering
        from torch._inductor.scheduler import Scheduler
        from torch._inductor.virtualized import V

        scheduler_class: Any = Scheduler
        graph_class: Any = GraphLowering
        plain_free: Callable[[Any], Any] = scheduler_class.free_buffers
        plain_compile: Callable[[Any], ModuleType] = graph_class.compile_to_module

        def free_buffers(scheduler: Any) -> Any:
            graph: Any = V.graph
            # A part of a graph has its own names; of what it gives, the whole knows.
            if type(graph) is GraphLowering and not graph.cpp_wrapper:
                wrapper: Any = graph.wrapper_code
                for line in stored(graph, list(_new_buffers(scheduler, graph))):
                    wrapper.writeline(line)
            return plain_free(scheduler)

        def compile_to_module(graph: Any) -> Any:
            module = plain_compile(graph)
            loaded(graph, module)
            return module

        scheduler_class.free_buffers = free_buffers
        graph_class.compile_to_module = compile_to_module
        self._undo.callback(setattr, scheduler_class, "free_buffers", plain_free)
        self._undo.callback(setattr, graph_class, "compile_to_module", plain_compile)
        self._undo.enter_context(_no_caches())

    def remove(self) -> None:
        """Takes them out again."""
        self._undo.close()


@contextlib.contextmanager
def _no_caches() -> Iterator[None]:
    """Keeps no code with our lines in it for others, and takes none without them."""
    from torch._functorch import config as autograd
    from torch._inductor import config as inductor

    kept = inductor.fx_graph_cache, autograd.enable_autograd_cache
    inductor.fx_graph_cache = autograd.enable_autograd_cache = False
    try:
        yield
    finally:
        inductor.fx_graph_cache, autograd.enable_autograd_cache = kept


def _new_buffers(scheduler: Any, graph: Any) -> Iterator[Stored]:
    """What was stored since this was asked last."""
    wrapper = graph.wrapper_code
    seen: set[str] = graph.__dict__.setdefault("_tensordbg_seen", set())
    for name in sorted(wrapper.allocated - seen - graph.removed_buffers - wrapper.freed):
        seen.add(name)
        buffer = scheduler.name_to_buf.get(name)
        if buffer is None:
            continue
        node, slot = _operation_of(buffer.node)
        if node is None:
            continue
        written = buffer.get_mutations()
        if not written:
            if _is_tensor(buffer.node):
                yield Stored(name, node, slot)
        elif len(written) == 1 and written[0] in graph.graph_inputs:
            yield Stored(written[0], node, slot)


def _operation_of(buffer: Any) -> tuple[Any, int]:
    """The operation whose result a buffer holds, and which result; None of what is half of a computation."""
    import operator

    node = buffer.get_origin_node()
    indices = getattr(buffer, "indices", None)
    if node is None and indices:
        origins = buffer.origins or buffer.inputs[0].origins
        makers = {each.args[0] if each.target is operator.getitem else each for each in origins}
        return (makers.pop(), int(indices[0][1])) if len(makers) == 1 and len(indices) == 1 else (None, 0)
    if node is not None and node.target is operator.getitem:
        return node.args[0], int(node.args[1])
    return node, 0


def _is_tensor(buffer: Any) -> bool:
    """Some stand for several tensors, or none."""
    try:
        buffer.get_dtype(), buffer.get_size()
    except Exception:  # noqa: BLE001  the kinds of buffers without a shape have no error in common
        return False
    return True


def compiled_frames() -> int:
    """How many frames were compiled in this process."""
    dynamo = sys.modules.get("torch._dynamo.utils")
    return 0 if dynamo is None else int(dynamo.counters["frames"]["ok"])


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
class CompiledFrame:
    """The call of a function that is being compiled."""

    code: CodeType
    values: dict[str, Any]
    """Its variables, which are its arguments as yet."""
    around: FrameType | None
    """The frame that called it."""


def compiled_frame() -> CompiledFrame | None:
    """The frame for which compilation runs in this thread, None in that of a backward pass that runs later."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001
    found: CompiledFrame | None = None
    while frame is not None:
        if frame.f_code.co_filename.endswith(_COMPILER):
            compiled: Any = frame.f_locals.get("frame")
            if hasattr(compiled, "f_code") and hasattr(compiled, "f_locals"):
                found = CompiledFrame(compiled.f_code, dict(compiled.f_locals), frame.f_back)
        elif found is not None:
            return CompiledFrame(found.code, found.values, frame)
        frame = frame.f_back
    return found
