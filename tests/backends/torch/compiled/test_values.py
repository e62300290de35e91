from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.describing import Describer, Graph
from tensordbg.backends.torch.compiled.values import GoneError, Values, computing
from tensordbg.recording.catalog import Catalog

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def graph_of(function: Any, *inputs: Any) -> tuple[Graph, dict[str, Any]]:
    """The graph of a function, and its operations by name."""
    from torch.fx.experimental.proxy_tensor import make_fx

    module = make_fx(function, tracing_mode="fake")(*inputs)
    described = Describer(Catalog()).describe(SimpleNamespace(graph=module.graph, module=module, is_backward=False))
    return described, {node.name: node for node in module.graph.nodes}


def test_values_are_taken_from_buffers_and_computed_between() -> None:
    graph, nodes = graph_of(lambda x: torch.log(x.exp() + 1.0).sum(), torch.ones(3))
    graph.buffers[nodes["exp"], 0] = "buf0"
    (argument,) = (node.target for node in graph.module.graph.nodes if node.op == "placeholder")
    values = Values(graph, {argument: torch.zeros(3), "buf0": torch.full((3,), 6.0)}, nodes["sum_1"])
    with computing():
        total = values.compute(nodes["sum_1"])
    torch.testing.assert_close(total, 3 * torch.log(torch.tensor(7.0)))
    assert {node.name for node in values.computed} == {"add", "log"}


def test_what_is_gone_can_not_be_computed() -> None:
    graph, nodes = graph_of(lambda x: torch.log(x + 1.0), torch.ones(3))
    with pytest.raises(GoneError):
        Values(graph, {}, nodes["log"]).compute(nodes["log"])


def test_chance_and_operations_of_a_programs_own_are_not_run_again() -> None:
    calls = []

    @torch.library.custom_op("test_values::own", mutates_args=())
    def own(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return x + 1

    @own.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    for function, name in ((own, "own"), (torch.rand_like, "rand_like")):
        graph, nodes = graph_of(function, torch.ones(3))
        (argument,) = (node.target for node in graph.module.graph.nodes if node.op == "placeholder")
        with pytest.raises(GoneError):
            Values(graph, {argument: torch.ones(3)}, nodes[name]).compute(nodes[name])
    assert calls == []
