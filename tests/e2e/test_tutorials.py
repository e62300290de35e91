"""The programs of the tutorials do what the tutorials say."""

from __future__ import annotations

import os
import re
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
