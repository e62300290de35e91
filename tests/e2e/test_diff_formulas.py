"""`tdbg diff` of optimizers beside rules that a program writes out: whose steps no optimizer counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import FirstDifference
from tests.differences import told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
F: Any = torch.nn.functional
_DRAWN = np.random.default_rng(5)
X, Y = _DRAWN.normal(size=(16, 10)).astype("float32"), _DRAWN.integers(0, 4, 16)
KERNEL, HEAD = ((0.3 * _DRAWN.normal(size=size)).astype("float32") for size in ((10, 12), (12, 4)))
Rule = Callable[[list[Any], dict[int, Any], int], None]


def trained(folder: Path, rule: Callable[[list[Any]], Any] | None, written: Rule | None = None, steps: int = 3) -> Path:
    """Trains by an optimizer, or by a rule that is written out."""
    with tensordbg.record(folder):
        w = [torch.nn.Parameter(torch.tensor(each)) for each in (KERNEL, HEAD)]
        optimizer, kept = rule(w) if rule else None, dict[int, Any]()
        for step in range(steps):
            loss = F.cross_entropy(torch.tanh(torch.tensor(X) @ w[0]) @ w[1], torch.tensor(Y))
            for each in w:
                each.grad = None
            loss.backward()
            if optimizer is not None:
                optimizer.step()
            elif written is not None:
                with torch.no_grad():
                    written(w, kept, step)
    return folder


def sgd(rate: float = 0.1, momentum: float = 0.0, decay: float = 0.0, form: str = "") -> Rule:
    def step(w: list[Any], kept: dict[int, Any], _step: int) -> None:
        for at, each in enumerate(w):
            gradient = each.grad + decay * each if decay else each.grad
            if momentum:
                kept[at] = kept[at].mul_(momentum).add_(gradient) if at in kept else gradient.clone()
                gradient = gradient + momentum * kept[at] if form == "nesterov" else kept[at]
            each.sub_(rate * gradient)

    return step


def adam(
    rate: float = 1e-2, beta: float = 0.9, epsilon: float = 3e-3, decay: float = 0.0, form: str = ""
) -> Rule:  # fmt: skip
    def step(w: list[Any], kept: dict[int, Any], turn: int) -> None:
        for at, each in enumerate(w):
            gradient = each.grad + decay * each if form == "in the gradient" else each.grad
            m, v = kept.setdefault(at, (torch.zeros_like(each), torch.zeros_like(each)))
            m.mul_(beta).add_(gradient, alpha=1 - beta)
            v.mul_(0.999).addcmul_(gradient, gradient, value=1 - 0.999)
            if form != "uncorrected":
                m, v = m / (1 - beta ** (turn + 1)), v / (1 - 0.999 ** (turn + 1))
            if decay and form != "in the gradient":
                each.mul_(1 - rate * decay)
            each.sub_(rate * m / ((v + epsilon).sqrt() if form == "inside" else v.sqrt() + epsilon))

    return step


def plain(w: list[Any]) -> Any:
    return torch.optim.SGD(w, 0.1)


def with_momentum(w: list[Any]) -> Any:
    return torch.optim.SGD(w, 0.1, momentum=0.9)


def decaying(w: list[Any]) -> Any:
    return torch.optim.SGD(w, 0.1, weight_decay=0.05)


def of_adam(w: list[Any]) -> Any:
    return torch.optim.Adam(w, 1e-2, eps=3e-3)


def of_adamw(w: list[Any]) -> Any:
    return torch.optim.AdamW(w, 1e-2, eps=3e-3, weight_decay=0.05)


RIGHT: list[tuple[Any, Rule]] = [
    (plain, sgd()),
    (with_momentum, sgd(momentum=0.9)),
    (decaying, sgd(decay=0.05)),
    (of_adam, adam()),
    (of_adamw, adam(decay=0.05)),
]

WRONG: list[tuple[Any, Rule, tuple[str, object, object]]] = [
    (with_momentum, sgd(0.05, 0.9), ("learning rate", 0.1, 0.05)),
    (with_momentum, sgd(momentum=0.8), ("momentum", 0.9, 0.8)),
    (with_momentum, sgd(), ("momentum", 0.9, 0.0)),
    (with_momentum, sgd(momentum=0.9, form="nesterov"), ("nesterov", False, True)),
    (decaying, sgd(decay=0.2), ("weight decay", 0.05, 0.2)),
    (decaying, sgd(), ("weight decay", 0.05, 0.0)),
    (of_adam, adam(2e-2), ("learning rate", 0.01, 0.02)),
    (of_adam, adam(beta=0.8), ("beta1", 0.9, 0.8)),
    (of_adam, adam(epsilon=2e-4), ("epsilon", 0.003, 0.0002)),
    (of_adam, adam(form="inside"), ("place of epsilon", "outside the root", "inside the root")),
    (torch.optim.Adam, adam(1e-3, epsilon=1e-8, form="uncorrected"), ("bias correction", True, False)),
    (of_adamw, adam(decay=0.2), ("weight decay", 0.05, 0.2)),
    (of_adamw, adam(), ("weight decay", 0.05, 0.0)),
    (of_adamw, adam(decay=0.05, form="in the gradient"),
     ("place of the decay", "taken off the parameter", "added to the gradient")),
]  # fmt: skip


def first(a: Path, b: Path, step: int | None = None) -> FirstDifference:
    result = tensordbg.diff(a, b, step=step)
    assert (result.status, result.first is not None) == ("diverged", True)
    assert result.first is not None
    return result.first


@pytest.mark.parametrize(("rule", "written"), RIGHT)
def test_a_rule_that_is_written_out_is_the_same(tmp_path: Path, rule: Any, written: Rule) -> None:
    runs = trained(tmp_path / "a", rule), trained(tmp_path / "b", None, written)
    for step in (None, 0, 1, 2):
        for each in (runs, runs[::-1]):
            result = tensordbg.diff(*each, step=step)
            assert (result.status, result.first) == ("same", None)
            assert len(result.steps) == (3 if step is None else 1)


@pytest.mark.parametrize(("rule", "written", "difference"), WRONG)
def test_a_setting_that_is_another_number_of_a_formula_is_named(
    tmp_path: Path, rule: Any, written: Rule, difference: tuple[str, object, object]
) -> None:
    a, b = trained(tmp_path / "a", rule), trained(tmp_path / "b", None, written)
    found = first(a, b)
    assert (found.kind, told(found)) == ("update", [difference])
    turned = first(b, a)
    assert (turned.kind, told(turned)) == ("update", [(difference[0], difference[2], difference[1])])


def test_the_advice_on_forms(tmp_path: Path) -> None:
    reference = trained(tmp_path / "a", of_adamw)
    inside = trained(tmp_path / "b", None, adam(decay=0.05, form="inside"))
    assert first(reference, inside).suggestion == "add the epsilon outside the root in B"
    added = trained(tmp_path / "c", None, adam(decay=0.05, form="in the gradient"))
    assert first(reference, added).suggestion == "have the decay taken off the parameter in B"


def test_two_formulas(tmp_path: Path) -> None:
    """The second update is one, and no value of a forward pass: nothing but the backward passes tells the steps."""
    reference = trained(tmp_path / "a", None, sgd(momentum=0.9))
    found = first(reference, trained(tmp_path / "b", None, sgd(momentum=0.8)))
    assert (found.kind, told(found)) == ("update", [("constant", 0.9, 0.8)])
    assert found.b is not None
    assert found.b.view.step == 1
    assert told(first(reference, trained(tmp_path / "c", None, sgd()))) == [("momentum", 0.9, 0.0)]
    decaying = trained(tmp_path / "d", None, sgd(momentum=0.9, decay=0.05))
    assert told(first(reference, decaying)) == [("weight decay", 0.0, 0.05)]


def test_the_last_values_of_parameters_are_compared(tmp_path: Path) -> None:
    """Of a training of a single step nothing else tells what its rule makes."""
    reference = trained(tmp_path / "a", of_adam, steps=1)
    right, wrong = trained(tmp_path / "b", None, adam(), 1), trained(tmp_path / "c", None, adam(2e-2), 1)
    assert tensordbg.diff(reference, right).status == "same"
    found = first(reference, wrong)
    assert (found.kind, told(found)) == ("update", [("learning rate", 0.01, 0.02)])


def test_a_step_has_what_was_recorded_before_it(tmp_path: Path) -> None:
    """The parameters of a step, and numbers that are recorded once, belong to it, too."""
    reference = trained(tmp_path / "a", with_momentum)
    other = trained(tmp_path / "b", lambda w: torch.optim.SGD(w, 0.1, momentum=0.5))
    assert tensordbg.diff(reference, other, step=0).status == "same"
    found = first(reference, other, 1)
    assert (found.kind, told(found)) == ("update", [("momentum", 0.9, 0.5)])
    assert first(reference, other, 2).kind == "parameter"
