"""`tdbg diff` of one program in which a line was changed: each change is named, and the same in other words is not."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.analysis.diff.result import Comparison, FirstDifference

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

TRAINING = """
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.norm, self.drop = nn.Linear(10, 32), nn.BatchNorm1d(32), nn.Dropout(0.2)
        self.second, self.head = nn.Linear(32, 16), nn.Linear(16, 5)
    def forward(self, x):
        h = self.drop(torch.relu(self.norm(self.first(x))))
        h = F.gelu(self.second(h))
        return self.head(h)
data = torch.Generator().manual_seed(1)
x, y = torch.randn(24, 10, generator=data), torch.randint(0, 5, (24,), generator=data)
model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.01)
for step in range(STEPS):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
"""
GROUPS = (
    "AdamW([{'params': [p for p in model.parameters() if p.dim() > 1]}, "
    "{'params': [p for p in model.parameters() if p.dim() < 2], 'weight_decay': 0.0}], "
)
LEFT = "in step 0 A updates first.weight"
CHANGES = {
    "detached": ("self.head(h)", "self.head(h.detach())", "no gradient reaches them in B"),
    "frozen": (
        "model = Net()",
        "model = Net(); model.first.weight.requires_grad_(False)",
        "no gradient reaches it in B",
    ),
    "left out": ("AdamW(model.parameters()", "AdamW(model.head.parameters()", "its optimizer does not take them"),
    "step too early": ("    loss.backward()\n    optimizer.step()", "    optimizer.step()\n    loss.backward()", LEFT),
    "set to zero": (
        "    optimizer.step()",
        "    optimizer.zero_grad()\n    optimizer.step()",
        "computes the gradients",
    ),
    "no step": ("    optimizer.step()", "    pass", "computes the gradients"),
}
SETTINGS = {
    "a group without decay": ("AdamW(model.parameters(), ", GROUPS, "weight decay is 0.01 in A and 0.0 in B"),
    "a rate": ("Dropout(0.2)", "Dropout(0.3)", "p is 0.8 in A and 0.7 in B"),
    "zeros": ("model = Net()", "model = Net(); nn.init.zeros_(model.second.bias)", "elements are one number"),
    "scaled": ("model = Net()", "model = Net(); model.second.weight.data.mul_(2)", "a parameter that is not that of"),
    "largest": ("weight_decay=0.01", "weight_decay=0.01, amsgrad=True", "amsgrad is False in A and True in B"),
}
GRADIENTS = """    gradients = torch.autograd.grad(loss, list(model.parameters()))
    for each, gradient in zip(model.parameters(), gradients): each.grad = gradient"""
NORM = "sum((each.grad**2).sum() for each in model.parameters()).sqrt()"
SAME = {
    "again": ("", ""),
    "a fused rule": ("weight_decay=0.01", "weight_decay=0.01, fused=True"),
    "in two parts": ("    loss.backward()", GRADIENTS),
    "told": ("    optimizer.step()", f"    print({NORM})\n    optimizer.step()"),
}

KERAS = """
import numpy as np
import keras
keras.backend.clear_session()
drawn = np.random.default_rng(0)
x, y = drawn.normal(size=(32, 10)).astype("float32"), drawn.integers(0, 5, 32)
keras.utils.set_random_seed(0)
model = keras.Sequential([keras.layers.Input((10,)), keras.layers.Dense(24, activation="tanh"),
                          keras.layers.Dense(16, activation="tanh"), keras.layers.Dense(5)])
model.compile(keras.optimizers.Adam(1e-2), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x, y, batch_size=16, epochs=1, shuffle=False, verbose=0)
model.predict(x, batch_size=32, verbose=0)
"""
SECOND = "keras.layers.Dense(16, "
OF_KERAS = {
    "same": ("Dense(5)", "Dense(5, name='head')", ""),
    "frozen": (
        "model.compile",
        "model.layers[0].trainable = False\nmodel.compile",
        "A updates sequential/dense/kernel, sequential/dense/bias, and B does not",
    ),
    "dropout": (SECOND, f"keras.layers.Dropout(0.1), {SECOND}", "of random numbers (Stateless"),
    "ones": (SECOND, f"{SECOND}bias_initializer='ones', ", "given one all of whose elements are one number"),
    "drawn otherwise": (SECOND, f"{SECOND}kernel_initializer='he_normal', ", "given a parameter that is not that of"),
}


def recorded(folder: Path, text: str) -> Path:
    """A trace of a program that lies in a file of its own."""
    file = folder.with_suffix(".py")
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    with tensordbg.record(folder):
        exec(compile(text, str(file), "exec"), {})
    return folder


@pytest.fixture(scope="module")
def references(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("references")
    return {
        "one step": recorded(folder / "one", TRAINING.replace("STEPS", "1")),
        "steps": recorded(folder / "steps", TRAINING.replace("STEPS", "3")),
        "keras": recorded(folder / "keras", KERAS),
    }


def told(result: Comparison) -> FirstDifference:
    assert result.first is not None, result
    return result.first


def changed(reference: Path, tmp_path: Path, old: str, new: str) -> Comparison:
    text = reference.with_suffix(".py").read_text()
    assert old in text
    return tensordbg.diff(reference, recorded(tmp_path / "other", text.replace(old, new)))


@pytest.mark.parametrize(("change", "length"), [*((each, "one step") for each in CHANGES), ("left out", "steps")])
def test_parameters_that_only_one_run_trains_are_named(
    references: dict[str, Path], tmp_path: Path, change: str, length: str
) -> None:
    old, new, words = CHANGES[change]
    found = told(changed(references[length], tmp_path, old, new))
    assert found.kind == "update"
    assert LEFT in found.explanation
    assert words in found.explanation
    assert [each.attribute for each in found.difference] == ["updated parameters"]
    assert found.a.source is not None
    assert found.a.source.text == "optimizer.step()"


def test_parameters_that_only_the_other_run_trains_are_named(references: dict[str, Path], tmp_path: Path) -> None:
    old, new, _ = CHANGES["detached"]
    result = changed(references["one step"], tmp_path, old, new)
    turned = told(tensordbg.diff(tmp_path / "other", references["one step"]))
    assert result.status == "diverged"
    assert "B updates first.weight" in turned.explanation
    assert "no gradient reaches them in A" in turned.explanation
    assert (turned.difference[0].a, turned.difference[0].b) == (2, 8)


@pytest.mark.parametrize("change", SETTINGS)
def test_a_line_that_was_changed_is_named(references: dict[str, Path], tmp_path: Path, change: str) -> None:
    old, new, words = SETTINGS[change]
    assert words in told(changed(references["steps"], tmp_path, old, new)).explanation


def test_a_bias_that_only_one_run_draws_is_told(tmp_path: Path) -> None:
    text = "import torch\ntorch.manual_seed(0)\nlayer = torch.nn.Linear(9, 4)\nlayer(torch.ones(3, 9)).softmax(-1)\n"
    reference = recorded(tmp_path / "reference", text)
    found = told(changed(reference, tmp_path / "without", "(9, 4)", "(9, 4, bias=False)"))
    assert "aten::addmm of A is given [4] besides" in found.explanation


@pytest.mark.parametrize("words", SAME)
def test_the_same_in_other_words_is_the_same(references: dict[str, Path], tmp_path: Path, words: str) -> None:
    for each in ("one step", "steps"):
        assert changed(references[each], tmp_path / each, *SAME[words]).status == "same"


@pytest.mark.parametrize("change", OF_KERAS)
def test_a_line_of_a_keras_program_that_was_changed_is_named(
    references: dict[str, Path], tmp_path: Path, change: str
) -> None:
    old, new, words = OF_KERAS[change]
    result = changed(references["keras"], tmp_path, old, new)
    assert result.status == ("diverged" if words else "same")
    assert words in (told(result).explanation if words else "")


COMPILED = """
import torch
from torch import nn
torch.manual_seed(0)
x = torch.randn(16, 8)
model = nn.Sequential(nn.Linear(8, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 4))
model(x).sum().backward()
"""
OF_COMPILED = {
    "draws its own": ("", "", "of random numbers, aten::bernoulli_ of A and prims::inductor_random of B"),
    "the same": ("nn.Dropout(0.3), ", "", ""),
    "a variance that is stored": (
        "BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3)",
        "BatchNorm1d(32, 1e-3), nn.ReLU()",
        "epsilon is 1e-05 in A and 0.001 in B",
    ),
}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch, of what it uses itself
@pytest.mark.parametrize("change", OF_COMPILED)
def test_eager_code_beside_what_is_compiled_of_it(tmp_path: Path, change: str) -> None:
    old, new, words = OF_COMPILED[change]
    eager = COMPILED if change == "draws its own" else COMPILED.replace("nn.Dropout(0.3), ", "")
    compiled = COMPILED.replace(old, new).replace("model(x)", "torch.compile(model)(x)")
    result = tensordbg.diff(recorded(tmp_path / "eager", eager), recorded(tmp_path / "compiled", compiled))
    assert result.status == ("diverged" if words else "same")
    assert words in (told(result).explanation if words else "")
