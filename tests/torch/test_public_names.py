"""The names that fit PyTorch alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tensordbg.torch


def test_importing_the_names_does_not_import_pytorch() -> None:
    program = "import sys, tensordbg.torch; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("name", tensordbg.torch.__all__)
def test_each_name_is_there(name: str) -> None:
    assert getattr(tensordbg.torch, name) is getattr(tensordbg.torch, name)
