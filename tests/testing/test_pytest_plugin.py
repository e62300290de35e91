"""The plugin as pytest finds it; what it does is in tests/e2e/test_pytest.py."""

from __future__ import annotations

import sys
from pathlib import Path

from tensordbg.testing import pytest_plugin

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def test_pytest_finds_it_by_its_entry_point() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    assert list(project["entry-points"]["pytest11"].values()) == [pytest_plugin.__name__]
