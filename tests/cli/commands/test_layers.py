from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.graphs.test_layers import layered_trace
from tests.cli.conftest import Invoke


@pytest.fixture
def layered(tmp_path: Path) -> str:
    return str(layered_trace(tmp_path / "layered").path)


def test_table(invoke: Invoke, layered: str) -> None:
    said = invoke("layers", layered)
    assert said.code == 0
    assert [line.split()[0] for line in said.out.splitlines()] == ["layer", "model", "log", "scale"]
    assert "mul:0" in invoke("layers", layered, "--inner").out


def test_json_of_some(invoke: Invoke, layered: str) -> None:
    said = invoke("layers", layered, "--name", "scale", "--json").json
    assert [layer["path"] for layer in said["layers"]] == ["model/scale"]


def test_none(invoke: Invoke, layered: str) -> None:
    assert invoke("layers").err == "no layer was recorded\n"
    assert invoke("layers", layered, "--name", "attention").err == "no layer fits\n"
