"""`tdbg diff` of optimizers of two frameworks: settings that only one of them has, or has under another name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tests.differences import first, told

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
_DRAWN = np.random.default_rng(21)
X, Y = _DRAWN.normal(size=(4, 8, 6)).astype("float32"), _DRAWN.integers(0, 3, (4, 8))
KERNELS = [(0.4 * _DRAWN.normal(size=size)).astype("float32") for size in ((6, 8), (8, 3))]


def in_keras(folder: Path, rule: Callable[[Any], Any]) -> Path:
    keras: Any = pytest.importorskip("keras")
    model = keras.Sequential(
        [keras.layers.Input((6,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(3)]
    )
    weights = [each for kernel in KERNELS for each in (kernel, np.zeros(kernel.shape[1], "float32"))]
    model.set_weights(weights)
    model.compile(rule(keras.optimizers), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    with tensordbg.record(folder):
        model.fit(np.concatenate(X), np.concatenate(Y), batch_size=8, shuffle=False, verbose=0)
    return folder


def in_torch(
    folder: Path,
    rule: Callable[[Any], Any],
    clip: Callable[[Any], Any] | None = None,
    rate: Callable[[int], float] = lambda step: 1.0,
) -> Path:
    layers = [torch.nn.Linear(6, 8), torch.nn.Linear(8, 3)]
    for layer, kernel in zip(layers, KERNELS, strict=True):
        layer.weight.data, layer.bias.data = torch.tensor(kernel.T), torch.zeros(kernel.shape[1])
    model = torch.nn.Sequential(layers[0], torch.nn.Tanh(), layers[1])
    optimizer = rule(model.parameters())
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, rate)
    with tensordbg.record(folder):
        for x, y in zip(X, Y, strict=True):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(torch.tensor(x)), torch.tensor(y)).backward()
            if clip is not None:
                clip(model.parameters())
            optimizer.step()
            schedule.step()
    return folder


def test_a_setting_that_one_framework_calls_otherwise(tmp_path: Path) -> None:
    """The share of its mean that RMSprop keeps is `rho` in Keras and `alpha` in PyTorch, with unlike defaults."""
    reference = in_keras(tmp_path / "a", lambda of: of.RMSprop(1e-2, rho=0.9))
    port = in_torch(tmp_path / "b", lambda of: torch.optim.RMSprop(of, 1e-2, alpha=0.99, eps=1e-7))
    assert told(first(tensordbg.diff(reference, port))) == [("alpha", 0.9, 0.99)]
    assert told(first(tensordbg.diff(port, reference))) == [("alpha", 0.99, 0.9)]


def test_a_setting_that_one_framework_has_not(tmp_path: Path) -> None:
    reference = in_keras(tmp_path / "a", lambda of: of.SGD(0.1, momentum=0.9))
    for dampening in (0.0, 0.1):
        port = in_torch(tmp_path / str(dampening), lambda of, by=dampening: torch.optim.SGD(of, 0.1, 0.9, by))
        result = tensordbg.diff(reference, port)
        assert result.status == ("diverged" if dampening else "same")
    found = first(result)
    assert told(found) == [("dampening", 0, 0.1)]
    assert found.suggestion == "set dampening to 0 in B"


def by_norm(parameters: Any) -> None:
    torch.nn.utils.clip_grad_norm_(parameters, 0.1)


CLIPPING = {
    "norm of all gradients up to 0.1": ({"global_clipnorm": 0.1}, by_norm),
    "norm of each gradient up to 0.1": ({"clipnorm": 0.1}, lambda of: [by_norm([each]) for each in of]),
    "values up to 0.02": ({"clipvalue": 0.02}, lambda of: torch.nn.utils.clip_grad_value_(of, 0.02)),
}


@pytest.mark.parametrize("form", CLIPPING)
def test_clipping_in_one_of_two_frameworks_with_momentum(tmp_path: Path, form: str) -> None:
    settings, clip = CLIPPING[form]
    of_keras = in_keras(tmp_path / "a", lambda of: of.SGD(0.1, momentum=0.9, **settings))
    plain = in_keras(tmp_path / "b", lambda of: of.SGD(0.1, momentum=0.9))
    ports = [in_torch(tmp_path / str(each), lambda of: torch.optim.SGD(of, 0.1, 0.9), each) for each in (None, clip)]
    assert tensordbg.diff(plain, ports[0]).status == tensordbg.diff(of_keras, ports[1]).status == "same"
    found = first(tensordbg.diff(of_keras, ports[0]))
    assert (found.kind, told(found)) == ("update", [("clipping", form, "none")])
    assert found.suggestion == f"clip in both runs alike: {form} in B"
    found = first(tensordbg.diff(plain, ports[1]))
    assert (found.kind, told(found)) == ("update", [("clipping", "none", form)])


def test_a_trust_ratio_is_no_clipping(tmp_path: Path) -> None:
    """The steps of LARS are scaled by what it measures of each gradient too, to norms that are no round numbers."""

    class Lars(torch.optim.SGD):  # type: ignore[misc]
        def step(self, closure: Any = None) -> None:
            for each in self.param_groups[0]["params"]:
                if each.grad.norm() > 0 and each.norm() > 0:
                    each.grad.mul_(0.1 * each.detach().norm() / each.grad.norm())
            super().step(closure)

    reference = in_torch(tmp_path / "a", lambda of: torch.optim.SGD(of, 0.1, 0.9))
    found = first(tensordbg.diff(reference, in_torch(tmp_path / "b", lambda of: Lars(of, 0.1, 0.9))))
    assert found.kind == "update"
    assert "clipping" not in {name for name, _, _ in told(found)}


def falling(of: Any, momentum: float = 0.0) -> Any:
    """A schedule of the program's own, which has no settings that its words could tell."""

    class Falling(of.schedules.LearningRateSchedule):  # type: ignore[misc]  # of whichever Keras there is
        def __call__(self, step: Any) -> Any:
            return 0.1 / (1.0 + _as_float(step))

    return of.SGD(Falling(), momentum=momentum)


def _as_float(step: Any) -> Any:
    import keras

    return keras.ops.cast(step, "float32")


def test_a_schedule_of_ones_own_is_told_by_its_rate(tmp_path: Path) -> None:
    reference = in_keras(tmp_path / "a", falling)
    right = in_torch(tmp_path / "same", lambda of: torch.optim.SGD(of, 0.1), rate=lambda step: 1 / (1 + step))
    assert tensordbg.diff(reference, right).status == "same"
    found = first(tensordbg.diff(reference, in_torch(tmp_path / "b", lambda of: torch.optim.SGD(of, 0.1))))
    assert told(found) == [("learning rate", 0.05, 0.1)]


def test_a_momentum_with_a_rate_that_changes(tmp_path: Path) -> None:
    """Keras keeps steps, PyTorch gradients: with one schedule and one momentum the two are not the same."""
    reference = in_keras(tmp_path / "a", lambda of: falling(of, 0.9))
    port = in_torch(tmp_path / "b", lambda of: torch.optim.SGD(of, 0.1, 0.9), rate=lambda step: 1 / (1 + step))
    found = first(tensordbg.diff(reference, port))
    assert told(found) == [("place of the learning rate", "before the momentum", "behind the momentum")]
    assert found.suggestion == "multiply by the rate that changes before the momentum in B"
    steady = in_keras(tmp_path / "steady", lambda of: of.SGD(0.1, momentum=0.9))
    same = in_torch(tmp_path / "same", lambda of: torch.optim.SGD(of, 0.1, 0.9))
    assert tensordbg.diff(steady, same).status == "same"


@pytest.mark.parametrize("kind", ["Adam", "AdamW"])
def test_the_place_of_the_epsilon_where_it_matters(tmp_path: Path, kind: str) -> None:
    """Keras adds it before the bias is corrected, so that it counts for 30 times as much in the first step."""
    more = {"weight_decay": 1e-2} if kind == "AdamW" else {}
    place = ("place of epsilon", "before the bias is corrected", "behind the correction of the bias")
    reference = in_keras(tmp_path / "a", lambda of: getattr(of, kind)(1e-2, epsilon=1e-3, **more))
    found = first(
        tensordbg.diff(
            reference, in_torch(tmp_path / "b", lambda of: getattr(torch.optim, kind)(of, 1e-2, eps=1e-3, **more))
        )
    )
    assert told(found) == [place]
    assert found.suggestion == "add the epsilon before the bias is corrected in B"
    port = in_torch(tmp_path / "c", lambda of: getattr(torch.optim, kind)(of, 1e-2, **more))
    assert told(first(tensordbg.diff(reference, port))) == [("epsilon", 1e-3, 1e-8), place]


def test_a_decay_of_ones_own_is_not_told_by_the_place_of_the_epsilon(tmp_path: Path) -> None:
    def decayed(parameters: Any) -> None:
        for each in parameters:
            each.data.mul_(0.9)

    reference = in_keras(tmp_path / "a", lambda of: of.Adam(1e-2))
    found = first(tensordbg.diff(reference, in_torch(tmp_path / "b", lambda of: torch.optim.Adam(of, 1e-2), decayed)))
    assert "place of epsilon" not in {name for name, _, _ in told(found)}
