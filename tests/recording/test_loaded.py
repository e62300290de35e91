"""Libraries are known by what is loaded."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from tensordbg.packages import COMPUTING
from tensordbg.recording.loaded import loaded_libraries


def test_what_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in COMPUTING:
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert loaded_libraries() == []
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    monkeypatch.setitem(sys.modules, "jax", None)  # an import that was forbidden
    assert loaded_libraries() == ["torch"]
