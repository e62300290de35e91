from __future__ import annotations

import importlib.util

import pytest

from tests.cli.conftest import Invoke


def test_without_the_sdk_it_says_what_to_install(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *more: None if name == "mcp" else find(name, *more))
    said = invoke("mcp")
    assert (said.code, said.out) == (2, "")
    assert said.err == (
        "tdbg: error: tdbg mcp needs the package mcp, which is not installed; `pip install 'tensordbg[mcp]'`\n"
    )
