from __future__ import annotations

import csv
import json
import os
import time
from pathlib import Path

from tests.cli.conftest import Invoke
from tests.trace.folders.test_pruning import healthy
from tests.trace.samples import eventful_trace

OLD = 40 * 86_400


def runs(folder: Path) -> None:
    """Two old runs, one of them with findings, and a new one."""
    for name, make in (("old", healthy), ("bad", lambda place: eventful_trace(place).finish())):
        for path in make(folder / name).rglob("*"):
            os.utime(path, (time.time() - OLD,) * 2)
    healthy(folder / "z-new")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_nothing_is_deleted_unless_that_is_said(invoke: Invoke) -> None:
    runs(Path("many"))
    said = invoke("prune", "many", "--older-than", "30d")
    assert said.code == 0
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert any(line.startswith("old 40 days") and line.endswith("goes") for line in lines), said.out
    assert any(line.startswith("bad 40 days") and "kept:" in line and "not finite" in line for line in lines), said.out
    assert "1 run of 3" in said.err
    assert "nothing was: give --delete" in said.err
    assert names(Path("many")) == {"old", "bad", "z-new"}


def test_with_delete_it_is(invoke: Invoke) -> None:
    runs(Path("many"))
    said = invoke("prune", "many", "--older-than", "30d", "--delete")
    assert (said.code, names(Path("many"))) == (0, {"bad", "z-new"})
    assert "deleted 1 run of 3" in said.err


def test_findings_go_only_where_that_is_said(invoke: Invoke) -> None:
    runs(Path("many"))
    assert invoke("prune", "many", "--larger-than", "0MB", "--with-findings", "--delete").code == 0
    assert names(Path("many")) == {"z-new"}


def test_it_wants_to_know_what_may_go(invoke: Invoke) -> None:
    said = invoke("prune", "many")
    assert said.code == 2
    assert "give --older-than 14d, --larger-than 20GB, or both" in said.err


def test_a_trace_is_no_folder_of_runs(invoke: Invoke) -> None:
    healthy(Path("one"))
    said = invoke("prune", "one", "--older-than", "1s")
    assert said.code == 2
    assert "is a trace itself" in said.err


def test_the_list_as_json_and_csv(invoke: Invoke) -> None:
    runs(Path("many"))
    listed = json.loads(invoke("prune", "many", "--older-than", "30d", "--json").out)["runs"]
    assert {run["run"]: run["goes"] for run in listed} == {"old": True, "bad": False, "z-new": False}
    rows = list(csv.DictReader(invoke("prune", "many", "--older-than", "30d", "--csv").out.splitlines()))
    assert [row["run"] for row in rows] == [run["run"] for run in listed]
