"""`tdbg diff --map`, and runs that are but named tensors."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tests.programs import TDBG, run

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """
import sys
import torch

first, second, swapped = sys.argv[1:4]
torch.manual_seed(0)
weights = [torch.randn(4, 4) for _ in range(2)]
x = torch.randn(8, 4)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = torch.nn.ModuleDict({name: torch.nn.Linear(4, 4, bias=False) for name in (first, second)})

    def forward(self, x):
        return torch.sigmoid(self.parts[second](torch.tanh(self.parts[first](x))))

model = Model()
for name, weight in zip((first, second), weights[::-1] if swapped == "yes" else weights):
    model.parts[name].weight.data.copy_(weight)
print(model(x).sum().item())
"""

RANDOM = np.random.default_rng(0)
X, W = RANDOM.normal(size=(8, 5)).astype(np.float32), RANDOM.normal(size=(5, 3)).astype(np.float32)
H = np.maximum(X @ W, 0)


def said(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done: subprocess.CompletedProcess[str] = run(
        [TDBG, *words], cwd=folder, capture_output=True, text=True, timeout=300
    )
    return done


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("named")
    (folder / "program.py").write_text(PROGRAM)
    for name, words in {
        "reference": ("encoder", "decoder", "no"),
        "port": ("block1", "block2", "no"),
        "wrong": ("block1", "block2", "yes"),
    }.items():
        done = said(folder, "run", "--out", name, "program.py", *words)
        assert done.returncode == 0, done.stderr
    arrays = {
        "numbers": {"x": X, "h": H, "w": W},
        "same": {"h": H, "w": W.T, "x": X},
        "off": {"x": X, "h": H * 1.01, "w": W},
        "renamed": {"x": X, "hidden": H * 1.01},
        "swapped": {"x": X, "h": H, "w": W * 2, "v": W},
    }
    for name, some in arrays.items():
        np.savez(folder / f"{name}.npz", **some)
        assert said(folder, "import", f"{name}.npz", "--out", name).returncode == 0
    return folder


NAMES = ("--map", "encoder=block1", "--map", "decoder=block2")


def test_names_that_fit_change_nothing(runs: Path) -> None:
    done = said(runs, "diff", "reference", "port", *NAMES)
    assert (done.returncode, done.stdout.partition(":")[0]) == (0, "The same"), done.stdout


def test_parameters_of_layers_that_correspond_are_compared_with_each_other(runs: Path) -> None:
    values = json.loads(said(runs, "diff", "reference", "wrong", "--json").stdout)
    assert {pair["status"] for pair in values["parameters"]} == {"equal"}  # both have both, in the wrong places
    named = said(runs, "diff", "reference", "wrong", "--json", *NAMES)
    told = json.loads(named.stdout)
    assert (named.returncode, told["first"]["kind"]) == (1, "parameter")
    assert [(pair["a"], pair["b"], pair["status"]) for pair in told["parameters"]] == [
        ("parts.encoder.weight", "parts.block1.weight", "differs"),
        ("parts.decoder.weight", "parts.block2.weight", "differs"),
    ]


def test_in_python(runs: Path) -> None:
    result = tensordbg.diff(runs / "reference", runs / "wrong", names={"encoder": "block1", "decoder": "block2"})
    assert result.first is not None
    assert result.first.kind == "parameter"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--map", "encoder"), "'encoder' is no pair of names such as encoder.0=block1"),
        (
            ("--map", "encodr=block1"),
            "--map 'encodr': the reference has no such layer, parameter or tensor; the nearest are ",
        ),
        (
            ("--map", "encoder=blok1"),
            "--map 'blok1': the other run has no such layer, parameter or tensor; the nearest are ",
        ),
        (
            ("--map", "weight=block1"),
            "--map 'weight': the reference has several of this name; name one of them in full: ",
        ),
    ],
)
def test_a_name_that_is_wrong(runs: Path, words: tuple[str, ...], message: str) -> None:
    done = said(runs, "diff", "reference", "port", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert "parts." in done.stderr or "pair" in done.stderr


def test_named_tensors_are_compared_by_name(runs: Path) -> None:
    assert said(runs, "diff", "numbers", "same").returncode == 0
    off = said(runs, "diff", "numbers", "off")
    assert (off.returncode, off.stdout.splitlines()[0]) == (1, "The runs have unlike values, in step 0.")
    assert "h of B is not h of A, of the same name" in off.stdout
    swapped = said(runs, "diff", "numbers", "swapped")  # what A calls w is there, under another name
    assert (swapped.returncode, "w of B is not w of A, of the same name" in swapped.stdout) == (1, True)


def test_named_tensors_of_other_names(runs: Path) -> None:
    near = said(runs, "diff", "numbers", "renamed")
    assert (near.returncode, "hidden of B is not h of A, which is the nearest to it" in near.stdout) == (1, True)
    mapped = said(runs, "diff", "numbers", "renamed", "--map", "h=hidden")
    assert "hidden of B is not h of A, which is said to be the same" in mapped.stdout
