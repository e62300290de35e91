"""What is advised is said in the words of the framework that the program is written in."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import tensordbg

PROGRAM = """
import numpy as np
{header}
rows = np.array([[1.0, 2.0], [np.nan, 3.0]], np.float32)
print({use})
"""


@pytest.mark.parametrize(
    ("framework", "header", "use", "advised"),
    [
        ("tensorflow", "import tensorflow as tf", "tf.constant(rows) * 2.0", "tf.where(tf.math.is_finite(x), x, 0.0)"),
        ("torch", "import torch", "torch.from_numpy(rows) * 2.0", "torch.where(torch.isfinite(x), x, 0.0)"),
    ],
)
def test_a_bad_row_is_dropped_as_the_framework_does(
    framework: str, header: str, use: str, advised: str, tmp_path: Path
) -> None:
    if find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed here")
    (tmp_path / "program.py").write_text(PROGRAM.format(header=header, use=use))
    command = [sys.executable, "-m", "tensordbg", "run", "--out", "traces", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    trace = tensordbg.open(next((tmp_path / "traces").iterdir()))
    (origin,) = trace.why().origins
    assert origin.cause == "bad_input_data"
    assert advised in origin.suggestion
    assert framework in trace.table("sites")["framework"].to_pylist()
