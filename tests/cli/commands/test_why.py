from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from tensordbg.engines import opened
from tensordbg.engines.engine import Lost
from tensordbg.engines.here import Here
from tensordbg.model import Health
from tests.cli.conftest import Invoke, Said
from tests.trace.builder import Tensor, TraceBuilder, small_program


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


def test_sarif(invoke: Invoke) -> None:
    (run,) = invoke("why", "--sarif").json["runs"]
    assert [result["ruleId"] for result in run["results"]] == [invoke("why", "--json").json["origins"][0]["cause"]]


def test_two_forms_are_one_too_many(invoke: Invoke) -> None:
    said = invoke("why", "--sarif", "--json")
    assert (said.code, said.out) == (2, "")
    assert said.err == "tdbg: error: --json and --sarif are two forms of one answer; give one of them\n"


def test_exit_code_is_asked_for(invoke: Invoke) -> None:
    assert invoke("why").code == 0
    assert invoke("why", "--exit-code").code == int(invoke("why", "--json").json["origins"][0]["consequential"])


def test_exit_code_of_finite_numbers_is_0_and_of_others_1(invoke: Invoke, tmp_path: Path) -> None:
    codes = []
    for name, health in (("good", Health(size=1, min=1.0, max=1.0)), ("bad", Health(size=1, nan=1, first_bad=0))):
        build = TraceBuilder(tmp_path / name)
        build.describe(small_program())
        call = build.begin(site=5, function=0)
        build.graph_tensor(70, 4, Tensor(health=health, shape=()))
        build.end(call)
        codes.append(invoke("why", str(build.finish()), "--exit-code").code)
    assert codes == [0, 1]


def test_a_trace_that_does_not_know_has_no_exit_code(invoke: Invoke, tmp_path: Path) -> None:
    build = TraceBuilder(tmp_path / "shapes")
    build.describe(small_program())
    call = build.begin(site=5, function=0)
    build.graph_tensor(70, 0, Tensor(health=None))
    build.end(call)
    said = invoke("why", str(build.finish()), "--exit-code")
    assert said.code == 2
    assert said.err.endswith("--exit-code needs the health of tensors, which was not recorded; use --detail health\n")


def test_a_trace_that_no_worker_read_leaves_no_good_exit_code(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for index, health in enumerate((Health(size=1, min=1.0, max=1.0), Health(size=1, nan=1, first_bad=0))):
        build = TraceBuilder(tmp_path / "run" / str(index))
        build.describe(small_program())
        call = build.begin(site=5, function=0)
        build.graph_tensor(70, 4, Tensor(health=health, shape=()))
        build.end(call)
        path = build.finish() / "trace.json"
        process = {"runs": ["cluster:run"], "task": "worker", "index": index}
        path.write_text(json.dumps({**json.loads(path.read_text()), "process": process, "created_ns": 1_000}))

    def said(lost: int) -> Said:
        class Losing(Here):
            def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
                return [Lost("died") if each.endswith(str(lost)) else function(each) for each in items]

        monkeypatch.setattr(opened, "opened_engine", lambda _: nullcontext(Losing()))
        return invoke("why", str(tmp_path / "run"), "--exit-code", "--engine", "dask://a:1")

    good = said(lost=1)
    assert good.code == 2
    assert good.err.endswith("run: --exit-code needs all traces, and worker 1 was not read\n")
    assert said(lost=0).code == 1
