from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.describing import Describer, Graph
from tensordbg.backends.torch.compiled.rerunning import Rerun
from tensordbg.recording.catalog import Catalog

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


class Recorder:
    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.facts: list[dict[str, Any]] = []

    def fact(self, fact: dict[str, Any]) -> None:
        self.facts.append(fact)


class Observer:
    def __init__(self) -> None:
        self.told: dict[int, Any] = {}

    def probe_again(self, site: int, slot: int, tensor: Any) -> None:
        assert slot == 0
        assert site not in self.told
        self.told[site] = tensor


class Case:
    """`log(x * 2).sum()`, of which the sum was stored."""

    def __init__(self) -> None:
        from torch.fx.experimental.proxy_tensor import make_fx

        module = make_fx(lambda x: torch.log(x * 2.0).sum(), tracing_mode="fake")(torch.ones(3))
        catalog = Catalog()
        describer = Describer(catalog)
        self.graph: Graph = describer.describe(SimpleNamespace(graph=module.graph, module=module, is_backward=False))
        self.nodes = {node.name: node for node in module.graph.nodes}
        (self.argument,) = (node.target for node in module.graph.nodes if node.op == "placeholder")
        self.graph.buffers[self.nodes["sum_1"], 0] = "buf1"
        describer.add(self.graph)
        self.recorder, self.observer = Recorder(catalog), Observer()
        self.rerun: Any = Rerun(self.recorder, self.observer)  # type: ignore[arg-type]

    def run(self, variables: dict[str, Any]) -> list[str]:
        """Names of what was computed again."""
        self.rerun.of(self.graph, self.graph.references[self.nodes["sum_1"]], 1, variables)
        names = {ref.site: node.name for node, ref in self.graph.references.items()}
        return [names.get(site, "Number") for site in self.observer.told]


def test_what_a_kernel_keeps_to_itself_is_computed_again_from_its_inputs() -> None:
    case = Case()
    assert case.run({case.argument: torch.tensor([1.0, 0.0, 2.0])}) == ["Number", "mul", "log"]
    assert case.recorder.facts == []
    assert case.observer.told[case.graph.references[case.nodes["log"]].site].isinf().sum() == 1


def test_what_only_the_compiled_code_makes_bad_is_said() -> None:
    case = Case()
    case.run({case.argument: torch.tensor([1.0, 3.0, 2.0])})
    assert "only the compiled code makes it bad" in case.recorder.facts[0]["warning"]


def test_from_inputs_that_are_gone_nothing_is_computed() -> None:
    case = Case()
    assert case.run({}) == []
    assert case.recorder.facts == []


def test_what_goes_bad_always_is_run_again_a_few_times_only() -> None:
    case = Case()
    asked = 0
    for execution in range(40):
        case.observer.told.clear()
        ref = case.graph.references[case.nodes["sum_1"]]
        case.rerun.of(case.graph, ref, execution, {case.argument: torch.zeros(3)})
        asked += bool(case.observer.told)
    assert asked == 16


def test_random_numbers_are_not_drawn_again() -> None:
    case = Case()
    with contextlib.suppress(StopIteration):
        case.nodes["mul"].target = torch.ops.aten.rand_like.default
    state = torch.get_rng_state()
    assert case.run({case.argument: torch.zeros(3)}) == []
    assert torch.equal(state, torch.get_rng_state())
