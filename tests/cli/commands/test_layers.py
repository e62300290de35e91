from __future__ import annotations

import csv
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


def test_csv_has_inner_tensors_where_they_are_asked_for(invoke: Invoke, layered: str) -> None:
    words = ["layers", layered, "--csv"]
    outputs, everything = (list(csv.DictReader(invoke(*words, *more).out.splitlines())) for more in ([], ["--inner"]))
    assert {row["place"] for row in outputs} == {"output"}
    assert {row["place"] for row in everything} == {"output", "inner"}
