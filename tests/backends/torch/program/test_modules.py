from __future__ import annotations

import json
from typing import Any

import pytest

from tensordbg.backends.torch.program.modules import Modules
from tensordbg.backends.torch.program.variables import Variables
from tensordbg.model import Site
from tensordbg.recording.catalog import Catalog

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


class Observer:
    """Stands for the compiled one: every tensor comes from site 0."""

    def __init__(self) -> None:
        self.entered: list[int] = []
        self.made: tuple[int, int] | None = (0, 0)
        self._running: list[tuple[Any, int]] = []

    def in_module(self) -> bool:
        return bool(self._running)

    def watch_modules(self, begin: Any, gives: Any, gives_many: Any) -> None:
        self._begin, self._gives, self._gives_many = begin, gives, gives_many

    def before_module(self, module: Any, _: Any) -> None:
        outermost = self._running[0][0] if self._running else module
        self._running.append((module, self._begin(outermost, module)))
        self.entered.append(self._running[-1][1])

    def after_module(self, _module: Any, _args: Any, result: Any) -> None:
        _, number = self._running.pop()
        self.entered.append(-1)
        if isinstance(result, torch.Tensor) and self.made is not None:
            self._gives(number, *self.made, 0)
        else:
            self._gives_many(number, result)

    def maker_of(self, _: Any) -> tuple[int, int] | None:
        return self.made


def test_paths_are_names_in_the_outermost_module() -> None:
    catalog = Catalog()
    catalog.add_sites([Site(catalog.new_sites(1), "aten::addmm", "aten::addmm", -1, -1)])
    modules, observer = Modules(catalog, Variables(catalog)), Observer()
    modules.install(observer)  # type: ignore[arg-type]
    try:
        model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.Linear(2, 2)), torch.nn.ReLU())
        model(torch.ones(1, 2))
    finally:
        modules.uninstall()
    assert observer.entered == [0, 1, 2, -1, -1, 3, -1, -1]
    told = [json.loads(modules.layer(number)) for number in range(4)]
    assert [(layer["path"], layer["class"]) for layer in told] == [
        ("Sequential", "Sequential"), ("0", "Sequential"), ("0.0", "Linear"), ("1", "ReLU"),
    ]  # fmt: skip
    outputs = json.loads(catalog.site(0).layer)["output_of"]
    assert [each[0] for each in outputs] == ["0.0", "0", "1", "Sequential"]
    model(torch.ones(1, 2))
    assert len(observer.entered) == 8, "the hook is out again"


def test_a_module_that_raises_is_left_again() -> None:
    modules, observer = Modules(Catalog(), Variables(Catalog())), Observer()
    observer.made = None
    modules.install(observer)  # type: ignore[arg-type]
    try:
        with pytest.raises(RuntimeError):
            torch.nn.Linear(2, 2)(torch.ones(1, 3))
    finally:
        modules.uninstall()
    assert observer.entered == [0, -1]


def test_our_hooks_are_not_taken_for_the_programs_own() -> None:
    from torch.nn.modules import module as torch_module

    modules, observer = Modules(Catalog(), Variables(Catalog())), Observer()
    modules.install(observer)  # type: ignore[arg-type]
    try:
        assert not torch_module._has_any_global_hook()
        own = torch_module.register_module_forward_hook(lambda *_: None)
        assert torch_module._has_any_global_hook()
        own.remove()
    finally:
        modules.uninstall()
    assert not torch_module._has_any_global_hook()


def test_pytorch_calls_no_hook_while_it_rests() -> None:
    from torch.nn.modules import module as torch_module

    modules, observer = Modules(Catalog(), Variables(Catalog())), Observer()
    observer.made = None
    modules.install(observer)  # type: ignore[arg-type]
    model, order = torch.nn.Linear(2, 2), []
    own = torch_module.register_module_forward_pre_hook(lambda *_: order.append(len(observer.entered)))
    try:
        modules.rest()
        modules.rest()
        model(torch.ones(1, 2))
        assert observer.entered == []
        modules.wake()
        modules.wake()
        model(torch.ones(1, 2))
        assert observer.entered == [0, -1]
        modules.rest()
    finally:
        modules.uninstall()
    assert order == [0, 1], "the program's own comes behind ours again"
    own.remove()
    assert not any(torch_module._has_any_global_hook.__globals__[name] for name in (
        "_global_forward_hooks", "_global_forward_pre_hooks", "_global_forward_hooks_always_called"
    ))  # fmt: skip


def test_the_hooks_stay_where_a_module_is_being_called() -> None:
    modules, observer = Modules(Catalog(), Variables(Catalog())), Observer()
    observer.made = None

    class Resting(torch.nn.Linear):
        def forward(self, x: Any) -> Any:
            modules.rest()
            return super().forward(x)

    modules.install(observer)  # type: ignore[arg-type]
    try:
        Resting(2, 2)(torch.ones(1, 2))
    finally:
        modules.uninstall()
    assert observer.entered == [0, -1]


def test_the_hooks_stay_where_something_is_compiled() -> None:
    modules, observer = Modules(Catalog(), Variables(Catalog())), Observer()
    observer.made = None
    modules.install(observer)  # type: ignore[arg-type]
    try:
        run = torch.compile(lambda x: x + 1, backend="eager")
        run(torch.ones(2))
        modules.rest()
        torch.nn.Linear(2, 2)(torch.ones(1, 2))
    finally:
        modules.uninstall()
    assert observer.entered == [0, -1]


def test_what_is_compiled_in_one_recording_holds_in_the_next() -> None:
    from torch._dynamo.utils import counters

    model = torch.nn.Linear(2, 2)

    @torch.compile(backend="eager")
    def run(x: Any) -> Any:
        return torch.nn.functional.relu(model(x))

    modules = Modules(Catalog(), Variables(Catalog()))
    compiled = []
    for _ in range(3):
        observer = Observer()
        observer.made = None
        modules.install(observer)  # type: ignore[arg-type]
        try:
            run(torch.ones(1, 2))
        finally:
            modules.uninstall()
        compiled.append(counters["frames"]["ok"])
    assert compiled == compiled[:1] * 3
