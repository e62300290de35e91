"""Names of a module that are looked up when they are first used."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest

from tensordbg.lazy import lazy_names


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    made = ModuleType("made_for_a_test")
    made.__getattr__, made.__dir__ = lazy_names(made.__name__, {"dumps": "json"})  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, made.__name__, made)
    return made


def test_a_name_is_looked_up_once(module: ModuleType) -> None:
    assert "dumps" not in vars(module)
    assert module.dumps is json.dumps
    assert vars(module)["dumps"] is json.dumps


def test_all_names_are_listed(module: ModuleType) -> None:
    assert {"dumps", "__name__"} <= set(dir(module))


def test_another_name_is_an_error(module: ModuleType) -> None:
    with pytest.raises(AttributeError, match="module 'made_for_a_test' has no attribute 'loads'"):
        _ = module.loads
