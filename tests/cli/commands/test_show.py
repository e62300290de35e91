from __future__ import annotations

import csv
from pathlib import Path

from tests.analysis.graphs.test_layers import layered_trace
from tests.cli.conftest import Invoke


def test_text(invoke: Invoke) -> None:
    said = invoke("show", "Log:0")
    assert said.code == 0
    assert said.out.splitlines()[0] == "Log:0  Log in train"


def test_json_and_a_trace_before_the_name(invoke: Invoke) -> None:
    history = invoke("show", "tdbg-traces", "Log", "--json").json
    assert [event["step"] for event in history["events"]] == [0, 1, 2]


def test_unknown_tensor(invoke: Invoke) -> None:
    said = invoke("show", "Lag:0")
    assert (said.code, said.out) == (2, "")
    assert said.err == "tdbg: error: no tensor 'Lag:0' in tdbg-traces/sample; did you mean 'Log:0'?\n"


def test_steps(invoke: Invoke) -> None:
    history = invoke("show", "Log", "--step", "1..", "--json").json
    assert [event["step"] for event in history["events"]] == [1, 2]
    assert history["total"] == 2
    said = invoke("show", "Log", "--iteration", "0")
    assert (said.code, said.err) == (2, "tdbg: error: no event of 'Log:0' there; it has steps 0 to 2\n")


def test_the_processes_of_a_run(invoke: Invoke, sample_run: Path) -> None:
    lines = invoke("show", sample_run.name, "Log").out.splitlines()
    assert [line for line in lines if line.startswith("worker")] == ["worker 0:", "worker 1:"]
    found = invoke("show", sample_run.name, "Log", "--step", "2", "--json").json
    assert [(each["process"], each["total"]) for each in found["processes"]] == [("worker 0", 1), ("worker 1", 1)]


def test_in_a_layer(invoke: Invoke, tmp_path: Path) -> None:
    layered = str(layered_trace(tmp_path / "layered").path)
    said = invoke("show", layered, "mul", "--layer", "scale")
    assert said.out.startswith("model/scale/mul:0  Mul in inner")
    assert said.out == invoke("show", layered, "scale/mul").out


def test_csv(invoke: Invoke) -> None:
    rows = list(csv.DictReader(invoke("show", "Log:0", "--csv").out.splitlines()))
    assert [row["step"] for row in rows] == ["0", "1", "2"]
    assert invoke("show", "Log:0", "--csv").err == ""
    assert invoke("show", "Log:0", "--csv", "--limit", "2").err == "events 2 to 3 of 3; --limit 0 shows all\n"


def test_elements_are_no_csv(invoke: Invoke) -> None:
    said = invoke("show", "Log:0", "--values", "--csv")
    assert said.err == (
        "tdbg: error: elements are not printed as CSV; leave --csv out, or write a file with --write FILE.npy\n"
    )
