"""The programs of the tutorials do what the tutorials say."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.trace.reader import open_trace
from tests import programs
from tests.cli.conftest import COMMAND

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"


def python_of(page: str) -> list[str]:
    """The Python programs of a tutorial, in order."""
    return re.findall(r"```python\n(.*?)```", (TUTORIALS / page).read_text(), re.DOTALL)


def recorded(folder: Path, program: str) -> Path:
    (folder / "normalised.py").write_text(program)
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [*COMMAND, "run", "--trace", str(folder / "trace"), "--force", "normalised.py"]
    programs.run(command, cwd=folder, env=environment, capture_output=True, check=True, text=True)
    return folder / "trace"


def test_a_nan_in_pytorch(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    program, fix = python_of("nan-in-pytorch.md")
    path = recorded(tmp_path, program)
    origin = tensordbg.open(path).why().origins[0]
    line = next(number for number, text in enumerate(program.splitlines(), 1) if "batch.std(dim=0)" in text)
    assert (origin.cause, origin.source.line) == ("division_by_zero", line)
    # The elements that it tells of are there.
    reader = open_trace(path)
    quotient = reader.value(origin.view.event)
    assert np.isnan(quotient[:, 2]).all()
    assert np.isfinite(np.delete(quotient, 2, axis=1)).all()
    query = f"select max(event) as event from tensors where zero = 1 and event < {origin.view.event} and size = 6"
    (row,) = tensordbg.open(path).sql(query).to_pylist()
    assert np.flatnonzero(reader.value(row["event"]) == 0).tolist() == [2]
    # And the fix is one.
    before, behind = program.split("def normalised(batch):\n")
    assert not tensordbg.open(recorded(tmp_path, before + fix + behind.split("\n", 1)[1])).why().origins


def test_a_nan_in_keras(tmp_path: Path) -> None:
    page = (TUTORIALS / "nan-in-keras.md").read_text()
    program, _ = python_of("nan-in-keras.md")
    (origin,) = tensordbg.open(recorded(tmp_path, program.replace("epochs=3", "epochs=1"))).why().origins
    # It is the operation, the line and the step that the tutorial shows, with as many elements.
    said = re.search(r"(\S+Log_1:0) in .*-inf: (\d+) of 64 .*\n.*\.py:(\d+), in step (\d+), ", page)
    assert said is not None
    view = origin.view
    assert view.health is not None
    assert (view.tensor, view.health.neg_inf, origin.source.line, view.step) == (said[1], *map(int, said.groups()[1:]))


def run_in(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    return programs.run([*COMMAND, *words], cwd=folder, env=environment, capture_output=True, check=False, text=True)


def test_one_bad_step_of_a_week(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    (program,) = python_of("one-bad-step-of-a-week.md")
    (tmp_path / "week.py").write_text(program)
    trapped = run_in(tmp_path, "trap", "week.py")
    assert trapped.returncode == 3, trapped.stderr
    said = " ".join((trapped.stdout + trapped.stderr).split())
    assert "step 218 of Sequential: the loss is not finite (1 NaN) and 4 of 4 gradients are not finite" in said
    assert "the step went wrong again, the same bit for bit" in said
    assert "in cosine_loss() produced the first NaN: 1 of 16 elements" in said
    assert "division_by_zero" in said
    # It runs without the program, and tells the row.
    (tmp_path / "week.py").unlink()
    bisected = run_in(tmp_path, "replay", "captures/Sequential-218", "--bisect")
    assert re.search(r"\brow 11\b", bisected.stdout + bisected.stderr), bisected.stdout + bisected.stderr
    assert run_in(tmp_path, "capture", "show", "captures/Sequential-218").returncode == 0


def test_a_port_that_differs(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    original, port = python_of("a-port-that-differs.md")
    scaled = port.replace("model(pixels)", "model(pixels / 255)")
    right = scaled.replace("nn.LayerNorm(16)", "nn.LayerNorm(16, eps=1e-3)")
    (tmp_path / "original.py").write_text(original)
    assert run_in(tmp_path, "run", "--trace", "keras-run", "original.py").returncode == 0
    said, made = [], []
    for program in (port, scaled, right):
        (tmp_path / "port.py").write_text(program)
        assert run_in(tmp_path, "run", "--trace", "port-run", "--force", "port.py").returncode == 0
        said.append(run_in(tmp_path, "diff", "keras-run", "port-run"))
        flow = tensordbg.diff(tmp_path / "keras-run", tmp_path / "port-run").errors
        made.append([(pair.a.partition("/")[2], pair.b) for pair in flow if pair.state == "added"])
    assert [each.returncode for each in said] == [1, 1, 0]
    assert "A computes Mul" in said[0].stdout
    assert "epsilon is 0.001 in A and 1e-05 in B" in said[1].stdout
    assert said[2].stdout.startswith("The same: ")
    # Along the data flow the difference is made where the text says: by the normalization as a whole.
    assert made[1:] == [[("layer_normalization_1/add_2:0", "aten::native_layer_norm:0")], []]
