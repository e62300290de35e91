from __future__ import annotations

import csv

from tests.cli.conftest import Invoke


def test_text(invoke: Invoke) -> None:
    said = invoke("functions")
    assert said.code == 0
    lines = [line.rstrip() for line in said.out.splitlines()]
    assert lines[0] == "train  traced once, called 3 times from Python"
    assert lines[2].split() == ["0", "3", "float32[2,", "3]", "train.py:3"]


def test_json(invoke: Invoke) -> None:
    said = invoke("functions", "tdbg-traces", "--json").json
    assert [(function["name"], function["calls"]) for function in said["functions"]] == [("train", 3)]


def test_csv(invoke: Invoke) -> None:
    rows = list(csv.DictReader(invoke("functions", "--csv").out.splitlines()))
    listed = invoke("functions", "--json").json["functions"]
    assert [row["runtime_name"] for row in rows] == [each["runtime_name"] for f in listed for each in f["traces"]]
