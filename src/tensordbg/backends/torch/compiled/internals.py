"""All that is private in Inductor and used to see inside of compiled code, each with what it is relied on for.

What is so in Dynamo has `dynamo.py`, CUDA graphs have `cuda_graphs.py`.

Looked at in PyTorch 2.4 to 2.13; `tests/backends/torch/compiled/test_internals.py` fails where one of these changes.
Where one has changed in the PyTorch that is installed, compiled code runs as it does without us, and one line says so.

- `torch._inductor.scheduler.Scheduler.free_buffers(self)` is called after the call of each kernel was written and
  before what it has read is given back; `name_to_buf` (before 2.5 `name_to_node`) has the buffers, and their `node` the
  IR: `origin_node` is the operation that a buffer holds the result of, `origins` all that were fused into it.
- `Scheduler.current_node` is what is being written, and `get_buffer_names()` names its buffers; a `MultiOutput` among
  them is one result of an operation that no kernel computes, with its place in `indices`. Where these are missing
  (before 2.5), such results are taken for parts of a kernel.
- `Scheduler.mutation_real_name` has, by the names of buffers that stand for writes, the buffers that these write into.
- `torch._inductor.virtualized.V.graph` is the `GraphLowering` under way: `graph` and `module` are the FX graph,
  `wrapper_code` writes the Python code; its `allocated` and `freed` say which names hold buffers at this point, and
  what is written into its `header` stands above the code.
- `GraphLowering.is_backward` is as named; where it is missing, arguments of backward graphs are named `tangents_1`.
- `GraphLowering.compile_to_module(self)` gives the module of that code, and its `call` takes the list of inputs and
  returns the tuple of results.
- `torch._inductor.config.fx_graph_cache` and `torch._functorch.config.enable_autograd_cache`: whether compiled
  code is kept on disk and taken from there.
- `torch._subclasses.fake_tensor.FakeTensorMode()`: inside of it operations give tensors with sizes and no elements.
- `torch._inductor.config.inplace_buffers`: whether a kernel may write over what it was given, buffers that the forward
  pass has donated too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tensordbg.backends.torch.compiled.cuda_graphs import without_cuda_graphs

WATCHED = "torch._inductor.compile_fx"
"""The module with whose import the hooks can be set."""

PROBE = "_tensordbg_probe"
"""What our lines call, by its name in the generated code."""

_NO_PROBE = f"def {PROBE}(*_): pass"
"""Stands above the generated code, so that it runs wherever it may be taken to."""


@dataclass(frozen=True)
class Stored:
    """A buffer that a kernel has just stored."""

    name: str
    """In the generated code, where it is alive."""
    node: Any
    """The operation of the graph whose result it holds."""
    slot: int


def missing() -> str:
    """Names what the hooks need and this version of PyTorch lacks; empty where all is there."""
    from torch._inductor import config, graph, scheduler

    needed = (
        (scheduler, "Scheduler.free_buffers"),
        (graph, "GraphLowering.compile_to_module"),
        (config, "fx_graph_cache"),
        (config, "inplace_buffers"),
    )
    for module, path in needed:
        found: Any = module
        for name in path.split("."):
            found = getattr(found, name, None)
        if found is None:
            return f"{module.__name__}.{path}"
    return ""


class Hooks:
    """The hooks into Inductor."""

    def __init__(self) -> None:
        self._undo = contextlib.ExitStack()
        self._works = True

    def set(
        self,
        stored: Callable[[Any, list[Stored]], list[str]],
        loaded: Callable[[Any, ModuleType], None],
        lost: Callable[[Exception], None],
    ) -> None:
        """Sets them.

        Args:
            stored: Is given a graph and what a kernel of it has stored, and gives the lines to be written there.
            loaded: Is given a graph and the module that was made of it.
            lost: Is told, once, what fails as this version is made otherwise; it compiles as without the hooks then.
        """
        from torch._inductor.graph import GraphLowering
        from torch._inductor.scheduler import Scheduler
        from torch._inductor.virtualized import V

        scheduler_class: Any = Scheduler
        graph_class: Any = GraphLowering
        plain_free: Callable[[Any], Any] = scheduler_class.free_buffers
        plain_compile: Callable[[Any], ModuleType] = graph_class.compile_to_module

        def write(scheduler: Any) -> None:
            graph: Any = V.graph
            # A part of a graph has its own names; of what it gives, the whole knows.
            if type(graph) is not GraphLowering or graph.cpp_wrapper:
                return
            wrapper: Any = graph.wrapper_code
            lines = stored(graph, list(_new_buffers(scheduler, graph)))
            if lines and not graph.__dict__.setdefault("_tensordbg_written", False):
                wrapper.header.writeline(_NO_PROBE)
                graph.__dict__["_tensordbg_written"] = True
            for line in lines:
                wrapper.writeline(line)

        # A version that takes or gives more than those that are known does so behind our backs.
        def free_buffers(scheduler: Any, *args: Any, **kwargs: Any) -> Any:
            if self._works:
                self._unless_lost(lambda: write(scheduler), lost)
            return plain_free(scheduler, *args, **kwargs)

        def compile_to_module(graph: Any, *args: Any, **kwargs: Any) -> Any:
            module = plain_compile(graph, *args, **kwargs)
            # Also where the last of its lines could not be written.
            self._unless_lost(lambda: loaded(graph, module), lost)
            return module

        scheduler_class.free_buffers = free_buffers
        self._undo.callback(setattr, scheduler_class, "free_buffers", plain_free)
        graph_class.compile_to_module = compile_to_module
        self._undo.callback(setattr, graph_class, "compile_to_module", plain_compile)
        self._undo.enter_context(_settings())

    def set_or_say(
        self,
        stored: Callable[[Any, list[Stored]], list[str]],
        loaded: Callable[[Any, ModuleType], None],
        say: Callable[[str], None],
    ) -> None:
        """Sets them where this version has all that they need.

        Args:
            stored: See `set`.
            loaded: See `set`.
            say: Is told, once, what this version lacks or what works otherwise in it; it compiles as without the hooks.
        """

        def lost(error: Exception) -> None:
            say(f"works otherwise inside ({type(error).__name__}: {error})")

        try:
            lacking = missing()
            if lacking:
                say(f"lacks {lacking}")
            else:
                self.set(stored, loaded, lost)
        except Exception as error:  # noqa: BLE001  what is private may have changed in any way
            self.remove()
            lost(error)

    def leave_out_cuda_graphs(self) -> None:
        """Has kernels launched one by one until the hooks are taken out: nobody can look into what a graph replays."""
        self._undo.enter_context(without_cuda_graphs())

    def remove(self) -> None:
        """Takes them out again."""
        self._undo.close()

    def _unless_lost(self, look: Callable[[], None], lost: Callable[[Exception], None]) -> None:
        """Looks, and never lets out what fails: the program compiles on."""
        try:
            look()
        except Exception as error:  # noqa: BLE001  what is private may have changed in any way
            if self._works:
                self._works = False
                lost(error)


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Keeps no code with our lines in it for others, takes none without them, and spares what a rerun would need.

    A setting that this version lacks is left out: 2.4 has no cache of autograd's to be turned off.
    """
    from torch._functorch import config as autograd
    from torch._inductor import config as inductor

    wanted: tuple[tuple[Any, str], ...] = (
        (inductor, "fx_graph_cache"),
        (autograd, "enable_autograd_cache"),
        (inductor, "inplace_buffers"),
    )
    kept = [(config, name, getattr(config, name)) for config, name in wanted if hasattr(config, name)]
    try:
        for config, name, _ in kept:
            setattr(config, name, False)
        yield
    finally:
        for config, name, value in kept:
            setattr(config, name, value)


def _new_buffers(scheduler: Any, graph: Any) -> Iterator[Stored]:
    """What was stored since this was asked last."""
    wrapper = graph.wrapper_code
    buffers = _buffers(scheduler)
    seen: set[str] = graph.__dict__.setdefault("_tensordbg_seen", set())
    called = _called(scheduler)
    run: set[str] = graph.__dict__.setdefault("_tensordbg_run", set())
    run.update(called, wrapper.allocated)
    stored = {*wrapper.allocated, *(name for name in called if _is_taken_apart(buffers.get(name)))}
    stored -= {of for name, of in getattr(scheduler, "mutation_real_name", {}).items() if name not in run}
    for name in sorted(stored - seen - graph.removed_buffers - wrapper.freed):
        seen.add(name)
        buffer = buffers.get(name)
        if buffer is None:
            continue
        written = buffer.get_mutations()
        node, slot = _operation_of(buffer.node)
        if node is None and len(written) == 1:
            node = _write_into(written[0], buffer.node)
        if node is None:
            continue
        if not written:
            if _is_tensor(buffer.node):
                yield Stored(name, node, slot)
        elif len(written) == 1 and written[0] in graph.graph_inputs:
            yield Stored(written[0], node, slot)


def _called(scheduler: Any) -> frozenset[str]:
    """Names of the buffers of what is being written."""
    node: Any = getattr(scheduler, "current_node", None)
    return frozenset(node.get_buffer_names()) if hasattr(node, "get_buffer_names") else frozenset()


def _is_taken_apart(buffer: Any) -> bool:
    """Whether it is one result of an operation that no kernel computes; such are not allocated."""
    return buffer is not None and type(buffer.node).__name__ == "MultiOutput"


def _buffers(scheduler: Any) -> Mapping[str, Any]:
    """The buffers by name; what 2.4 calls nodes has the names of operations in later versions."""
    if hasattr(scheduler, "name_to_buf") or not all(name.startswith("buf") for name in scheduler.name_to_node):
        found: Mapping[str, Any] = scheduler.name_to_buf
    else:
        found = scheduler.name_to_node
    return found


def _operation_of(buffer: Any) -> tuple[Any, int]:
    """The operation whose result a buffer holds, and which result; None of what is half of a computation."""
    import operator

    node = buffer.get_origin_node()
    indices = getattr(buffer, "indices", None)
    if node is None and indices is not None and len(indices) < 2:  # none where the operation has one result
        origins = buffer.origins or buffer.inputs[0].origins
        makers = {each.args[0] if each.target is operator.getitem else each for each in origins}
        slot = int(indices[0][1]) if indices else 0
        return (makers.pop(), slot) if len(makers) == 1 else (None, 0)
    if node is not None and node.target is operator.getitem:
        return node.args[0], int(node.args[1])
    return node, 0


def _write_into(argument: str, buffer: Any) -> Any:
    """The operation that writes into an argument of the graph what a kernel computes; None where there is none."""
    writes = (each for each in buffer.origins if str(each.target) == "aten.copy_.default")
    return next((each for each in writes if getattr(each.args[0], "target", None) == argument), None)


def _is_tensor(buffer: Any) -> bool:
    """Some stand for several tensors, or none."""
    try:
        buffer.get_dtype(), buffer.get_size()
    except Exception:  # noqa: BLE001  the kinds of buffers without a shape have no error in common
        return False
    return True


def fake_mode() -> AbstractContextManager[Any]:
    """A block in which operations of a processor compute sizes, and no elements."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    return FakeTensorMode()


def is_backward(graph: Any) -> bool:
    """Whether a graph that is being lowered is that of a backward pass."""
    told = getattr(graph, "is_backward", None)
    if told is None:
        return any(node.op == "placeholder" and node.name.startswith("tangents_") for node in graph.graph.nodes)
    return bool(told)
