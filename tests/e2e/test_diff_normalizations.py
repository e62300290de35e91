"""`tdbg diff` on normalizations: one operation in the one run, and written out in the other, with its epsilon."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")
nn, F = torch.nn, torch.nn.functional
_DRAWN = np.random.default_rng(5)
X, Y = _DRAWN.normal(size=(12, 10)).astype("float32"), _DRAWN.integers(0, 4, 12)
KERNEL, HEAD = (0.4 * _DRAWN.normal(size=size).astype("float32") for size in ((10, 8), (8, 4)))
GAMMA, BETA = ((each + 0.3 * _DRAWN.normal(size=8)).astype("float32") for each in (1, 0))

Function = Callable[[Any], Any]


def written(epsilon: float, place: str = "inside", correction: int = 0, axis: int = -1) -> Function:
    def normalized(x: Any) -> Any:
        variance = x.var(axis, correction=correction, keepdim=True)
        root = (variance + epsilon).sqrt() if place == "inside" else variance.sqrt() + epsilon
        return (x - x.mean(axis, keepdim=True)) / root

    return normalized


def by_hand(epsilon: float) -> Function:
    def normalized(x: Any) -> Any:
        centred = x - x.mean(-1, keepdim=True)
        return centred * (centred.pow(2).mean(-1, keepdim=True) + epsilon) ** -0.5

    return normalized


def by_squares(epsilon: float, place: str = "inside") -> Function:
    def normalized(x: Any) -> Any:
        squares = (x * x).mean(-1, keepdim=True)
        return x * torch.rsqrt(squares + epsilon) if place == "inside" else x / (squares.sqrt() + epsilon)

    return normalized


def in_groups(normalized: Function) -> Function:
    return lambda x: normalized(x.reshape(-1, 2, 4)).reshape(-1, 8)


class Affine(torch.nn.Module):
    def __init__(self, normalized: Function, biased: bool) -> None:
        super().__init__()
        self.normalized = normalized
        self.weight, self.bias = nn.Parameter(torch.ones(8)), nn.Parameter(torch.zeros(8)) if biased else None

    def forward(self, x: Any) -> Any:
        scaled = self.normalized(x) * self.weight
        return scaled if self.bias is None else scaled + self.bias


TORCH: dict[str, Callable[[], Any]] = {
    "layer": lambda: nn.LayerNorm(8, eps=1e-3),
    "layer-epsilon": lambda: nn.LayerNorm(8, eps=1e-5),
    "layer-written": lambda: Affine(written(1e-3), biased=True),
    "layer-written-epsilon": lambda: Affine(written(1e-5), biased=True),
    "layer-by-hand": lambda: Affine(by_hand(1e-3), biased=True),
    "layer-by-hand-epsilon": lambda: Affine(by_hand(1e-5), biased=True),
    "layer-outside": lambda: Affine(written(1e-3, "outside"), biased=True),
    "layer-sample": lambda: Affine(written(1e-3, correction=1), biased=True),
    "rms": lambda: nn.RMSNorm(8, eps=1e-3),
    "rms-epsilon": lambda: nn.RMSNorm(8, eps=1e-5),
    "rms-written": lambda: Affine(by_squares(1e-3), biased=False),
    "rms-outside": lambda: Affine(by_squares(1e-3, "outside"), biased=False),
    "group": lambda: nn.GroupNorm(2, 8, eps=1e-3),
    "group-epsilon": lambda: nn.GroupNorm(2, 8, eps=1e-5),
    "group-written": lambda: Affine(in_groups(written(1e-3)), biased=True),
    "group-written-epsilon": lambda: Affine(in_groups(written(1e-5)), biased=True),
    "batch": lambda: nn.BatchNorm1d(8, eps=1e-3),
    "batch-epsilon": lambda: nn.BatchNorm1d(8, eps=1e-5),
    "batch-written": lambda: Affine(written(1e-3, axis=0), biased=True),
    "batch-written-epsilon": lambda: Affine(written(1e-5, axis=0), biased=True),
    "batch-sample": lambda: Affine(written(1e-3, correction=1, axis=0), biased=True),
}


def in_torch(norm: Any) -> None:
    first, last = nn.Linear(10, 8, bias=False), nn.Linear(8, 4, bias=False)
    given = (first, KERNEL.T), (last, HEAD.T), (norm, GAMMA)
    for module, value in given:
        module.weight.data = torch.tensor(value.copy())
    if getattr(norm, "bias", None) is not None:
        norm.bias.data = torch.tensor(BETA)
    model = nn.Sequential(first, norm, last)
    rule = torch.optim.SGD(model.parameters(), 0.05)
    for _ in range(2):
        rule.zero_grad()
        F.cross_entropy(model(torch.tensor(X)), torch.tensor(Y)).backward()
        rule.step()


def in_keras(kind: str) -> None:
    import keras

    layers = keras.layers
    norm = {
        "layer": lambda: layers.LayerNormalization(epsilon=1e-3), "rms": lambda: layers.RMSNormalization(epsilon=1e-3),
        "group": lambda: layers.GroupNormalization(2, epsilon=1e-3),
        "batch": lambda: layers.BatchNormalization(epsilon=1e-3),
    }[kind]()  # fmt: skip
    dense = [layers.Dense(size, use_bias=False) for size in (8, 4)]
    model = keras.Sequential([layers.Input((10,)), dense[0], norm, dense[1]])
    for weight, value in zip(model.trainable_weights, (KERNEL, GAMMA, *([] if kind == "rms" else [BETA]), HEAD),
                             strict=True):  # fmt: skip
        weight.assign(value)
    model.compile(keras.optimizers.SGD(0.05), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(X, Y, batch_size=len(X), epochs=2, shuffle=False, verbose=0)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("normalizations")
    for name, build in TORCH.items():
        with tensordbg.record(folder / name):
            in_torch(build())
    for kind in ("layer", "rms", "group", "batch"):
        with tensordbg.record(folder / f"{kind}-keras"):
            in_keras(kind)
    return folder


def diff(runs: Path, a: str, b: str) -> Comparison:
    return tensordbg.diff(runs / a, runs / b)


TWINS = [
    ("layer-keras", "layer"), ("layer-keras", "layer-written"), ("layer-keras", "layer-by-hand"),
    ("layer", "layer-written"), ("layer-by-hand", "layer-written"), ("rms-keras", "rms"), ("rms", "rms-written"),
    ("group-keras", "group"), ("group", "group-written"), ("batch-keras", "batch"), ("batch", "batch-written"),
    ("batch-keras", "batch-written"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), TWINS)
def test_one_operation_and_its_formula_are_the_same(runs: Path, a: str, b: str) -> None:
    result = diff(runs, a, b)
    assert (result.status, result.first) == ("same", None)


EPSILON = ("epsilon", 1e-3, 1e-5)
PLACE = ("place of epsilon", "inside the root", "outside the root")
SAMPLE = ("correction", 0, 1)
APART = [
    ("layer-keras", "layer-epsilon", EPSILON), ("layer-keras", "layer-written-epsilon", EPSILON),
    ("layer-keras", "layer-by-hand-epsilon", EPSILON), ("layer", "layer-written-epsilon", EPSILON),
    ("layer", "layer-by-hand-epsilon", EPSILON), ("layer-written", "layer-by-hand-epsilon", EPSILON),
    ("layer-by-hand", "layer-epsilon", EPSILON), ("layer-keras", "layer-outside", PLACE),
    ("layer", "layer-outside", PLACE), ("layer-written", "layer-outside", PLACE),
    ("layer-keras", "layer-sample", SAMPLE), ("layer", "layer-sample", SAMPLE),
    ("rms-keras", "rms-epsilon", EPSILON), ("rms-written", "rms-epsilon", EPSILON), ("rms", "rms-outside", PLACE),
    ("group-keras", "group-epsilon", EPSILON), ("group-keras", "group-written-epsilon", EPSILON),
    ("group", "group-written-epsilon", EPSILON), ("batch-keras", "batch-epsilon", EPSILON),
    ("batch-keras", "batch-written-epsilon", EPSILON), ("batch", "batch-written-epsilon", EPSILON),
    ("batch-keras", "batch-sample", SAMPLE), ("batch", "batch-sample", SAMPLE),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "told"), APART)
def test_what_differs_in_a_normalization_is_named(runs: Path, a: str, b: str, told: tuple[str, object, object]) -> None:
    first = diff(runs, a, b).first
    assert first is not None
    assert first.kind == "value", first.explanation
    assert [(each.attribute, each.a, each.b) for each in first.difference] == [told]


@pytest.mark.parametrize("scaled", [True, False])
def test_a_scaling_of_what_predict_is_fed_is_missed(tmp_path: Path, scaled: bool) -> None:
    """The batch lies in the trace of Keras several times, as it is handed on: each is the one that PyTorch is given."""
    import keras

    with tensordbg.record(tmp_path / "a"):
        dense, norm = keras.layers.Dense(8, use_bias=False), keras.layers.LayerNormalization(epsilon=1e-3)
        model = keras.Sequential([keras.layers.Input((10,)), keras.layers.Rescaling(0.25), dense, norm])
        dense.set_weights([KERNEL])
        norm.set_weights([GAMMA, BETA])
        model.predict(X, verbose=0)
    for name, epsilon in (("b", 1e-3), ("c", 1e-5)):
        with tensordbg.record(tmp_path / name), torch.no_grad():
            layer = nn.LayerNorm(8, eps=epsilon)
            layer.weight.data, layer.bias.data = torch.tensor(GAMMA), torch.tensor(BETA)
            given = torch.tensor(X) / 4 if scaled else torch.tensor(X)
            layer(F.linear(given, torch.tensor(KERNEL.T.copy())))
    twin, port = tensordbg.diff(tmp_path / "a", tmp_path / "b"), tensordbg.diff(tmp_path / "a", tmp_path / "c")
    assert twin.status == ("same" if scaled else "diverged")
    assert port.first is not None
    told = [(each.attribute, each.a, each.b) for each in port.first.difference]
    assert (port.first.kind, told) == (("value", [EPSILON]) if scaled else ("missing", []))


def keeping(folder: Path, momentum: float) -> Path:
    keras: Any = pytest.importorskip("keras")
    keras.utils.set_random_seed(2)
    layer = keras.layers.BatchNormalization(momentum=momentum)
    model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(5), layer, keras.layers.Dense(3)])
    model.compile("sgd", "mse")
    drawn = np.random.default_rng(1)
    x, y = (drawn.normal(size=size).astype("float32") for size in ((16, 6), (16, 3)))
    with tensordbg.record(folder):
        model.fit(x, y, batch_size=8, shuffle=False, verbose=0)
    return folder


def test_the_momentum_of_a_normalization_that_is_written_out(tmp_path: Path) -> None:
    reference = keeping(tmp_path / "a", 0.99)
    assert tensordbg.diff(reference, keeping(tmp_path / "same", 0.99)).status == "same"
    found = tensordbg.diff(reference, keeping(tmp_path / "b", 0.9)).first
    assert found is not None
    assert [(each.attribute, each.a, each.b) for each in found.difference] == [("momentum", 0.99, 0.9)]
    assert (found.kind, found.suggestion) == ("update", "set momentum to 0.99 in B")
