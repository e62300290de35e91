from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.modules import Modules
from tensordbg.backends.torch.variables import Variables
from tensordbg.model import Site
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.guard import guarded

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def _raise(_: str, error: BaseException) -> None:
    raise error


class Observer:
    """Stands for the compiled one: every tensor comes from site 0."""

    def __init__(self) -> None:
        self.entered: list[int] = []

    def enter_module(self, number: int) -> None:
        self.entered.append(number)

    def leave_module(self) -> None:
        self.entered.append(-1)

    def maker_of(self, address: int) -> tuple[int, int] | None:
        return (0, 0) if address else None


def test_paths_are_names_in_the_outermost_module() -> None:
    catalog = Catalog()
    catalog.add_sites([Site(catalog.new_sites(1), "aten::addmm", "aten::addmm", -1, -1)])
    modules, observer = Modules(catalog, Variables(catalog)), Observer()
    recorder: Any = SimpleNamespace(guard=lambda what: guarded(what, _raise))
    modules.install(recorder, observer)  # type: ignore[arg-type]
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
    observer.maker_of = lambda address: None  # type: ignore[method-assign]
    recorder: Any = SimpleNamespace(guard=lambda what: guarded(what, _raise))
    modules.install(recorder, observer)  # type: ignore[arg-type]
    try:
        with pytest.raises(RuntimeError):
            torch.nn.Linear(2, 2)(torch.ones(1, 3))
    finally:
        modules.uninstall()
    assert observer.entered == [0, -1]


def test_our_hooks_are_not_taken_for_the_programs_own() -> None:
    from torch.nn.modules import module as torch_module

    modules, observer = Modules(Catalog(), Variables(Catalog())), Observer()
    recorder: Any = SimpleNamespace(guard=lambda what: guarded(what, _raise))
    modules.install(recorder, observer)  # type: ignore[arg-type]
    try:
        assert not torch_module._has_any_global_hook()
        own = torch_module.register_module_forward_hook(lambda *_: None)
        assert torch_module._has_any_global_hook()
        own.remove()
    finally:
        modules.uninstall()
    assert not torch_module._has_any_global_hook()


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
        observer.maker_of = lambda address: None  # type: ignore[method-assign]
        modules.install(SimpleNamespace(guard=lambda what: guarded(what, _raise)), observer)  # type: ignore[arg-type]
        try:
            run(torch.ones(1, 2))
        finally:
            modules.uninstall()
        compiled.append(counters["frames"]["ok"])
    assert compiled == compiled[:1] * 3
