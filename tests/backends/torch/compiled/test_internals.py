"""What is private in PyTorch and relied on is as `internals.py` says."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.internals import Hooks, compiled_frame, compiled_frames, reason_of_split

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_the_scheduler_gives_buffers_back_after_each_kernel() -> None:
    from torch._inductor.codegen.wrapper import PythonWrapperCodegen
    from torch._inductor.scheduler import Scheduler

    assert list(inspect.signature(Scheduler.free_buffers).parameters) == ["self"]
    for method in (Scheduler.flush, Scheduler.codegen_extern_call):
        assert "self.free_buffers()" in inspect.getsource(method)
    text = inspect.getsource(PythonWrapperCodegen)
    assert "self.allocated.add(name)" in text
    assert "self.freed.add(name)" in text


def test_a_graph_is_made_into_a_module_with_a_call() -> None:
    from torch._inductor.graph import GraphLowering

    assert list(inspect.signature(GraphLowering.compile_to_module).parameters) == ["self"]


def test_a_compiler_has_the_frame_that_it_compiles_in_a_variable() -> None:
    from torch._dynamo.convert_frame import ConvertFrameAssert

    assert "frame" in inspect.signature(ConvertFrameAssert.__call__).parameters
    assert compiled_frame() is None


def test_hooks_are_taken_out_again_and_settings_are_as_before() -> None:
    from torch._functorch import config as autograd
    from torch._inductor import config as inductor
    from torch._inductor.graph import GraphLowering
    from torch._inductor.scheduler import Scheduler

    def state() -> tuple[Any, ...]:
        return (
            Scheduler.free_buffers,
            GraphLowering.compile_to_module,
            inductor.fx_graph_cache,
            autograd.enable_autograd_cache,
        )

    before = state()
    hooks = Hooks()
    hooks.set(lambda *_: [], lambda *_: None)
    assert state()[2:] == (False, False)
    assert state()[0] is not before[0]
    hooks.remove()
    assert state() == before


def test_a_part_of_a_graph_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor.scheduler import Scheduler
    from torch._inductor.virtualized import V

    asked: list[Any] = []
    monkeypatch.setattr(Scheduler, "free_buffers", lambda _: asked.append("plain"))
    hooks = Hooks()
    hooks.set(lambda *given: asked.append(given) or [], lambda *_: None)  # type: ignore[func-returns-value]
    with V.set_graph_handler(SimpleNamespace()):
        Scheduler.free_buffers(SimpleNamespace())
    hooks.remove()
    assert asked == ["plain"]


def test_why_a_function_was_split_is_counted() -> None:
    @torch.compile(backend="eager")
    def split(x: Any) -> Any:
        torch._dynamo.graph_break()
        return x + 1

    before = compiled_frames()
    split(torch.ones(1))
    assert compiled_frames() > before
    assert "graph_break" in reason_of_split()
