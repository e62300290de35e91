from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.describing import Describer
from tensordbg.backends.torch.compiled.internals import Stored
from tensordbg.backends.torch.compiled.probes import Probes
from tensordbg.recording.catalog import Catalog
from tensordbg.recording.guard import guarded

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def _raise(_: str, error: BaseException) -> None:
    raise error


class Recorder:
    active = True

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.ended: list[tuple[int, bool]] = []
        self.log = SimpleNamespace(begin_execution=lambda *_: 7, end_execution=lambda *told: self.ended.append(told))

    def guard(self, what: str) -> Any:
        return guarded(what, _raise)


class Observer:
    def __init__(self) -> None:
        self.told: list[Any] = []

    def probe(self, *given: Any) -> None:
        self.told.append(given)

    def enter_compiled(self, inputs: Any) -> Any:
        self.told.append(("enter", len(inputs)))
        return 0, 0, [-1] * len(inputs)

    def run_compiled(self, execution: int) -> None:
        self.told.append(("run", execution))

    def leave_compiled(self, results: Any, keys: Any, _: int) -> None:
        self.told.append(("leave", results, keys))


class Case:
    """A graph of one logarithm whose kernel has stored it."""

    def __init__(self) -> None:
        from torch.fx.experimental.proxy_tensor import make_fx

        module = make_fx(torch.log, tracing_mode="fake")(torch.ones(3))

        class Lowering(SimpleNamespace):
            __hash__ = object.__hash__

        self.lowering = Lowering(graph=module.graph, module=module, is_backward=False)
        (self.node,) = (node for node in module.graph.nodes if node.op == "call_function")
        catalog = Catalog()
        self.recorder, self.observer = Recorder(catalog), Observer()
        self.probes = Probes(Describer(catalog))
        self.probes.use(self.recorder, self.observer)  # type: ignore[arg-type]

    def compiled(self, call: Any) -> ModuleType:
        (line,) = self.probes.lines(self.lowering, [Stored("buf0", self.node, 0)])
        module = ModuleType("generated")
        module.__dict__.update(call=call, line=line)
        self.probes.loaded(self.lowering, module)
        return module


def test_a_line_looks_at_what_was_stored() -> None:
    case = Case()
    module = case.compiled(lambda _: ())
    exec(module.__dict__["line"], {**module.__dict__, "buf0": "tensor"})
    ((site, slot, tensor),) = case.observer.told
    assert (slot, tensor) == (0, "tensor")
    assert case.probes.graph_of(site) is not None


def test_a_call_is_an_execution_of_its_function() -> None:
    case = Case()
    module = case.compiled(lambda inputs: (inputs.pop(),))
    assert module.__dict__["call"](["x"]) == ("x",)
    assert [told[0] for told in case.observer.told] == ["enter", "run", "leave"]
    assert case.observer.told[-1][1] == ["x"]
    assert case.recorder.ended == [(7, False)]


def test_an_error_of_the_program_passes_and_ends_the_execution() -> None:
    def fail(_: Any) -> None:
        raise ZeroDivisionError

    case = Case()
    module = case.compiled(fail)
    with pytest.raises(ZeroDivisionError):
        module.__dict__["call"](["x"])
    assert case.observer.told[-1][1] is None
    assert case.recorder.ended == [(7, True)]


def test_without_a_recording_the_code_is_as_it_was() -> None:
    case = Case()
    module = case.compiled(lambda inputs: (inputs.pop(),))
    case.probes.use(None, None)
    assert module.__dict__["call"](["x"]) == ("x",)
    assert case.observer.told == []
    assert case.probes.lines(case.lowering, [Stored("buf0", case.node, 0)]) == []
