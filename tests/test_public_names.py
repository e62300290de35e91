"""What `import tensordbg` gives, and how little it costs."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytest

import tensordbg


def test_all_is_sorted_and_complete() -> None:
    assert tensordbg.__all__ == sorted(tensordbg.__all__)
    assert set(tensordbg.__all__) == {*tensordbg._HOMES, "__version__"}


@pytest.mark.parametrize("name", tensordbg.__all__)
def test_name_is_there(name: str) -> None:
    assert getattr(tensordbg, name) is getattr(tensordbg, name)
    assert name in dir(tensordbg)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'tensordbg' has no attribute 'nothing'"):
        _ = tensordbg.nothing  # type: ignore[attr-defined]


def test_errors_have_one_base() -> None:
    for error in (tensordbg.RecordingError, tensordbg.TraceError, tensordbg.UsageError):
        assert issubclass(error, tensordbg.TensordbgError)


def test_version_is_that_of_the_distribution() -> None:
    assert tensordbg.__version__ == importlib.metadata.version("tensordbg")


def test_import_brings_nothing_heavy() -> None:
    code = (
        "import sys, tensordbg\n"
        "heavy = {'tensorflow', 'keras', 'numpy', 'pyarrow', 'duckdb', 'pandas', 'polars', 'rich', 'click'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout == "[]\n"
