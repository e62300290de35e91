"""`tensordbg.health` offers one `measure`, whether tensordbg was compiled or not."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tensordbg import health
from tensordbg.model import Health

WITHOUT_COMPILED_PART = "import sys; sys.modules['tensordbg._native'] = None; "


def python(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout.strip()


def test_names() -> None:
    assert health.__all__ == ["kernel_name", "measure"]
    assert health.measure(np.array([2.0])) == Health(size=1, min=2.0, max=2.0, sum=2.0, sum_squares=4.0)


def test_uses_the_compiled_kernel() -> None:
    native = pytest.importorskip("tensordbg._native", reason="tensordbg was not compiled")
    assert health.kernel_name() == native.kernel_name()


def test_does_without_the_compiled_part() -> None:
    program = (
        "import numpy as np; from tensordbg import health;"
        "print(health.kernel_name(), health.measure(np.array([1, np.nan])).nan, health.measure.__module__)"
    )
    assert python(WITHOUT_COMPILED_PART + program) == "numpy 1 tensordbg.health.reference"


@pytest.mark.parametrize("start", ["", WITHOUT_COMPILED_PART])
def test_imports_nothing_heavy(start: str) -> None:
    program = (
        "import tensordbg.health, sys;"
        "print(sorted({'ml_dtypes', 'tensorflow', 'torch', 'jax', 'pyarrow', 'duckdb'} & set(sys.modules)))"
    )
    assert python(start + program) == "[]"
