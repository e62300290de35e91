from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Invoke


def test_report(invoke: Invoke) -> None:
    said = invoke("why")
    assert (said.code, said.err) == (0, "")
    assert "Log:0" in said.out


def test_json(invoke: Invoke) -> None:
    result = invoke("why", "tdbg-traces", "--json").json
    assert (result["format"], result["status"], result["non_finite_events"]) == (1, "non_finite", 1)
    assert [origin["tensor"] for origin in result["origins"]] == ["Log:0"]


def test_the_processes_of_a_run(invoke: Invoke, sample_run: Path) -> None:
    result = invoke("why", sample_run.name, "--json").json
    assert [origin["process"] for origin in result["origins"]] == ["worker 0", "worker 1"]
    said = invoke("why", sample_run.name)
    assert "  worker 0: Log:0 in step 2 (train.py:3)" in said.out
    assert "2 of 24 recorded tensors in 2 processes are not finite: worker 0 1, worker 1 1.\n" in said.out
