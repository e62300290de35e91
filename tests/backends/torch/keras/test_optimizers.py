from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tensordbg.backends.torch.keras.optimizers import KerasSteps

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


class BaseOptimizer:
    """Stands for Keras's, of which a process has one backend; tests/e2e/test_torch_keras.py has the real one."""

    def __init__(self, variables: list[Any]) -> None:
        self._trainable_variables = variables
        self.variables = [SimpleNamespace(name="dense_kernel_momentum", value=torch.zeros(2))]

    def apply(self, grads: Any, trainable_variables: Any = None) -> str:
        for gradient, variable in zip(grads, trainable_variables or self._trainable_variables, strict=True):
            variable.value.data -= gradient
        return "applied"


class OnTorch:
    pass


OnTorch.__module__ = "keras.src.backend.torch.optimizers.torch_optimizer"


class Adam(OnTorch, BaseOptimizer):
    pass


class OnTensorFlow(BaseOptimizer):
    pass


@pytest.fixture
def keras(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    module = ModuleType("keras.src.optimizers.base_optimizer")
    monkeypatch.setattr(module, "BaseOptimizer", BaseOptimizer, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    plain = BaseOptimizer.apply
    yield module
    assert BaseOptimizer.apply is plain, "it was put back"


def variable() -> Any:
    value = torch.nn.Parameter(torch.ones(2))
    value.grad = torch.ones(2)
    return SimpleNamespace(value=value, path="dense/kernel")


@pytest.mark.usefixtures("keras")
def test_an_optimizer_looks_like_one_of_pytorchs() -> None:
    steps, seen, own = KerasSteps(), [], variable()
    undo = steps.watch(
        lambda optimizer, *_: seen.append((type(optimizer).__name__, float(own.value.detach()[0]), optimizer)),
        lambda optimizer, *_: seen.append((type(optimizer).__name__, float(own.value.detach()[0]), optimizer)),
    )
    optimizer = Adam([own])
    assert optimizer.apply([own.value.grad]) == "applied"
    assert optimizer.apply([own.value.grad], [own]) == "applied"
    undo()
    optimizer.apply([own.value.grad])
    assert [each[:2] for each in seen] == [("Adam", 1.0), ("Adam", 0.0), ("Adam", 0.0), ("Adam", -1.0)]
    told = seen[0][2]
    assert all(each[2] is told for each in seen), "it is the same in each step"
    assert told.param_groups == [{"params": [own.value]}]
    assert told.names == {id(own.value): "dense/kernel"}
    assert [*told.state[own.value]] == ["momentum"]


@pytest.mark.usefixtures("keras")
def test_a_step_whose_gradients_are_taken_away_is_left_out() -> None:
    steps, own = KerasSteps(), variable()
    gradient = own.value.grad
    undo = steps.watch(lambda optimizer, *_: setattr(optimizer.param_groups[0]["params"][0], "grad", None), None)
    assert Adam([own]).apply([gradient]) is None
    undo()
    assert own.value.tolist() == [1, 1]


@pytest.mark.usefixtures("keras")
def test_optimizers_of_other_backends_are_left_alone() -> None:
    steps, own, seen = KerasSteps(), variable(), []
    undo = steps.watch(lambda *_: seen.append(0), None)
    assert OnTensorFlow([own]).apply([own.value.grad]) == "applied"
    undo()
    assert not seen
