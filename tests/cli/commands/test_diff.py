"""`tdbg diff` on the sample trace; on programs see tests/e2e/test_diff.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Invoke


def test_a_trace_is_the_same_as_itself(invoke: Invoke) -> None:
    said = invoke("diff", "tdbg-traces", "tdbg-traces")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("The same: ")


def test_json(invoke: Invoke) -> None:
    told = invoke("diff", "tdbg-traces", "tdbg-traces", "--json", "--step", "1").json
    assert (told["format"], told["status"], told["first"]) == (1, "same", None)
    assert [each["step"] for each in told["steps"]] == [1]


def test_csv(invoke: Invoke) -> None:
    said = invoke("diff", "tdbg-traces", "tdbg-traces", "--csv", "--step", "1")
    names, *rows = said.out.splitlines()
    assert (said.code, names) == (0, "step,a,b,line_a,line_b,error,state,event_a,event_b")
    assert {tuple(row.split(",")[:7:6]) for row in rows} == {("1", "equal")}


@pytest.mark.parametrize("value", ["5", "-1", "0", "some"])
def test_a_tolerance_that_is_none(invoke: Invoke, value: str) -> None:
    said = invoke("diff", "tdbg-traces", "tdbg-traces", "--tolerance", value)
    assert said.code == 2
    assert f"{value!r} is neither `auto` nor a number between 0 and 1" in said.err


def test_a_run_of_several_processes_asks_which(invoke: Invoke, sample_run: Path) -> None:
    assert invoke("diff", sample_run.name, sample_run.name).code == 2
    assert invoke("diff", sample_run.name, sample_run.name, "--process", "0").code == 0
