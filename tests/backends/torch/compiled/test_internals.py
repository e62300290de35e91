"""What is private in PyTorch and relied on is as `internals.py` says."""

from __future__ import annotations

import inspect
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.compiled import internals
from tensordbg.backends.torch.compiled.internals import (
    PROBE,
    Hooks,
    Stored,
)

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def test_the_scheduler_gives_buffers_back_after_each_kernel() -> None:
    from torch._inductor.codegen import wrapper
    from torch._inductor.scheduler import Scheduler

    assert list(inspect.signature(Scheduler.free_buffers).parameters) == ["self"]
    for method in (Scheduler.flush, Scheduler.codegen_extern_call):
        assert "self.free_buffers()" in inspect.getsource(method)
    older = getattr(wrapper, "WrapperCodeGen", None)  # its name in 2.4
    text = inspect.getsource(getattr(wrapper, "PythonWrapperCodegen", older))
    assert "self.allocated.add(name)" in text
    assert "self.freed.add(name)" in text


def test_a_graph_is_made_into_a_module_with_a_call() -> None:
    from torch._inductor.graph import GraphLowering

    assert list(inspect.signature(GraphLowering.compile_to_module).parameters) == ["self"]


def test_hooks_are_taken_out_again_and_settings_are_as_before() -> None:
    from torch._functorch import config as autograd
    from torch._inductor import config as inductor
    from torch._inductor.graph import GraphLowering
    from torch._inductor.scheduler import Scheduler

    settings = [(inductor, "fx_graph_cache"), (autograd, "enable_autograd_cache"), (inductor, "inplace_buffers")]
    there = [(config, name) for config, name in settings if hasattr(config, name)]  # 2.4 lacks the second

    def state() -> tuple[Any, ...]:
        return (
            Scheduler.free_buffers,
            GraphLowering.compile_to_module,
            *(getattr(config, name) for config, name in there),
        )

    before = state()
    hooks = Hooks()
    hooks.set(lambda *_: [], lambda *_: None, lambda _: None)
    assert state()[2:] == (False,) * len(there)
    assert state()[0] is not before[0]
    hooks.remove()
    assert state() == before


def test_a_part_of_a_graph_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor.scheduler import Scheduler
    from torch._inductor.virtualized import V

    asked: list[Any] = []
    monkeypatch.setattr(Scheduler, "free_buffers", lambda _: asked.append("plain"))
    hooks = Hooks()
    hooks.set(lambda *given: asked.append(given) or [], lambda *_: None, lambda _: None)  # type: ignore[func-returns-value]
    with V.set_graph_handler(SimpleNamespace()):
        Scheduler.free_buffers(SimpleNamespace())
    hooks.remove()
    assert asked == ["plain"]


class Watched:
    """What is compiled while the hooks are set, with a probe of our own."""

    def __init__(self) -> None:
        self.lost: list[str] = []
        self.seen: list[Any] = []
        self.hooks = Hooks()
        self.hooks.set(self.lines, self.loaded, lambda error: self.lost.append(f"{type(error).__name__}: {error}"))

    def lines(self, _: Any, stored: list[Stored]) -> list[str]:
        return [f"{PROBE}({each.name})" for each in stored]

    def loaded(self, _: Any, module: ModuleType) -> None:
        module.__dict__[PROBE] = self.seen.append

    def result(self) -> float:
        torch._dynamo.reset()
        try:
            return float(torch.compile(lambda x: (x.sin() + 1).sum())(torch.ones(3)))
        finally:
            self.hooks.remove()


RIGHT = pytest.approx(5.5244, abs=1e-3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch, of what it uses itself
def test_what_a_kernel_stores_is_seen() -> None:
    watched = Watched()
    assert watched.result() == RIGHT
    assert [float(each) for each in watched.seen] == [RIGHT]
    assert watched.lost == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_code_that_nobody_looks_at_runs_by_itself() -> None:
    class Unwatched(Watched):
        def loaded(self, _: Any, module: ModuleType) -> None:
            raise KeyError("call")

    watched = Unwatched()
    assert watched.result() == RIGHT
    assert watched.seen == []
    assert watched.lost == ["KeyError: 'call'"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_version_that_works_otherwise_compiles_on_and_is_told_of_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(internals, "_new_buffers", lambda scheduler, _: scheduler.of_another_version)
    watched = Watched()
    assert watched.result() == RIGHT
    assert watched.lost == ["AttributeError: 'Scheduler' object has no attribute 'of_another_version'"]
    assert watched.seen == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_setting_that_this_version_lacks_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._functorch import config as autograd

    class Lacking:
        def __getattr__(self, name: str) -> Any:
            if name == "enable_autograd_cache":
                raise AttributeError(name)
            return getattr(autograd, name)

    monkeypatch.setattr("torch._functorch.config", Lacking())
    watched = Watched()
    monkeypatch.undo()  # PyTorch itself needs it
    assert watched.result() == RIGHT
    assert len(watched.seen) == 1


def test_what_no_kernel_computes_is_seen() -> None:
    @torch.library.custom_op("test_internals::own", mutates_args=())
    def own(x: torch.Tensor) -> torch.Tensor:
        return x + 1

    @own.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    stored: list[tuple[str, int]] = []
    hooks = Hooks()
    hooks.set(
        lambda _, found: stored.extend((each.node.name, each.slot) for each in found) or [],  # type: ignore[func-returns-value]
        lambda *_: None,
        lambda error: pytest.fail(str(error)),
    )
    torch._dynamo.reset()
    try:
        torch.compile(lambda x: own(own(x).sort(stable=True).values.cos()).sin())(torch.rand(3000))
    finally:
        hooks.remove()
    assert {("own", 0), ("own_1", 0), ("sort", 0), ("sin", 0)} <= set(stored)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_buffer_is_seen_when_all_is_written_into_it() -> None:
    seen: list[Any] = []
    hooks = Hooks()
    hooks.set(
        lambda _, stored: [f"{PROBE}({each.name})" for each in stored if each.node.name.startswith("scatter")],
        lambda _, module: module.__dict__.__setitem__(PROBE, lambda tensor: seen.append(tensor.clone())),
        lambda error: pytest.fail(str(error)),
    )
    torch._dynamo.reset()
    try:
        values, places = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0, 2, 2])
        torch.compile(lambda x, i: torch.zeros(3).scatter_add_(0, i, x).pow(-0.5))(values, places)
    finally:
        hooks.remove()
    assert [each.tolist() for each in seen] == [[1.0, 0.0, 5.0]]
