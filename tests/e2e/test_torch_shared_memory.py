"""Tensors whose memory NumPy has too: what is written there comes from outside, and a look changes nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tensordbg
from tests import programs

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

PROGRAM = """
import sys, numpy as np, tensordbg, torch

def written(view, tensor):
    weight = torch.ones(4, requires_grad=True)
    for step in range(3):
        view[:] = step + 1
        if step == 2:
            view[1, 2] = np.nan
        rows = tensor[1:]
        (rows * weight).sum().backward()

def exposed():
    tensor = torch.zeros(3, 4)
    written(tensor.numpy(), tensor)

def brought():
    array = np.zeros((3, 4), "float32")
    written(array, torch.from_numpy(array))

def large():
    tensor = torch.zeros(3, 400_000)
    view = tensor.numpy()
    for step in range(3):
        view[:] = [1, 2, np.nan][step]
        tensor.sum().item()

def looked_at():
    weight = torch.zeros(3, requires_grad=True)
    for step in range(3):
        value = weight * 2
        value.detach().numpy()
        torch.log(value).sum().backward()
        with torch.no_grad():
            weight.add_(0.0)
            weight.numpy().sum()

for each in (exposed, brought, large, looked_at):
    with tensordbg.record(sys.argv[1] + "/" + each.__name__):
        each()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shared")
    (folder / "program.py").write_text(PROGRAM)
    words = [sys.executable, str(folder / "program.py"), str(folder)]
    done = programs.run(words, capture_output=True, check=False, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.parametrize("name", ["exposed", "brought", "large"])
def test_what_is_written_past_all_operations_comes_from_outside(folder: Path, name: str) -> None:
    origin = tensordbg.open(folder / name).why().origins[0]
    assert (origin.view.op_type, origin.cause) == ("Input", "bad_input_data")
    assert origin.source is not None
    assert ("tensor[1:]" if name != "large" else "tensor.sum()") in origin.source.text


def test_a_look_by_numpy_leaves_the_data_flow_as_it_was(folder: Path) -> None:
    trace = tensordbg.open(folder / "looked_at")
    origin = trace.why().origins[0]
    assert (origin.view.op_type, origin.cause) == ("aten::log", "log_of_zero")
    assert [each.tensor for each in origin.inputs] == ["aten::mul:0"]
    sites = trace.table("sites").to_pylist()
    assert "Input" not in [each["op_type"] for each in sites], "nothing came from outside"
