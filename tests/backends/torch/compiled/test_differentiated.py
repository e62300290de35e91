from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tensordbg.backends.torch.compiled.differentiated import differentiated

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def graph_of(function: Callable[..., Any], *arguments: Any) -> Any:
    from torch.fx.experimental.proxy_tensor import make_fx

    return make_fx(function)(*arguments).graph


def found(graph: Any, first: int) -> str:
    """What the last operation differentiates, where those from `first` on are of a gradient."""
    operations = [node for node in graph.nodes if node.op == "call_function"]
    known = differentiated(operations[-1], operations[first:].__contains__)
    return "" if known is None else known.name


def test_a_root_is_known_by_its_result_and_a_logarithm_by_what_it_is_taken_of() -> None:
    x, gradient = torch.ones(3), torch.ones(3)

    def root(x: Any, gradient: Any) -> Any:
        return gradient / (torch.sqrt(x + 1) * 2)

    def logarithm(x: Any, gradient: Any) -> Any:
        y = x + 1
        return torch.log(y).sum(), gradient / y

    assert found(graph_of(root, x, gradient), 2) == "sqrt"
    assert found(graph_of(logarithm, x, gradient), 3) == "log"


def test_where_it_may_be_either_nothing_is_said() -> None:
    def either(x: Any, gradient: Any) -> Any:
        y = x + 1
        return torch.log(y), x / y, gradient / y

    assert found(graph_of(either, torch.ones(3), torch.ones(3)), 3) == ""
