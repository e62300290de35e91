"""The names that take the place of TensorFlow's own debugger."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tensordbg.tensorflow


def test_importing_the_names_does_not_import_tensorflow() -> None:
    program = "import sys, tensordbg.tensorflow; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_another_name_is_an_error_of_the_module() -> None:
    with pytest.raises(AttributeError, match=r"module 'tensordbg\.tensorflow' has no attribute 'enable_all'"):
        tensordbg.tensorflow.enable_all  # noqa: B018
