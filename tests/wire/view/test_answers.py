"""Every answer of a run, as the server asks for it."""

from __future__ import annotations

import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from tensordbg.analysis.view.requests import Centre, EventList, Whole, Window
from tensordbg.errors import AbsentError, UsageError
from tensordbg.trace.folders.runs import find_run
from tensordbg.wire.view.answers import RunAnswers
from tensordbg.wire.view.errors import Problem


@pytest.fixture
def answers(sample: Path) -> RunAnswers:
    """About the sample trace."""
    return RunAnswers(find_run(sample), "sample", "vscode://{file}:{line}")


def everything(answers: RunAnswers) -> dict[str, Any]:
    """What the server may ask for, but for values, which were not kept."""
    wanted = EventList("op:Log", "max", True)
    return {
        "overview": answers.overview(),
        "findings": answers.findings(),
        "events": answers.events("", wanted, 0, 10),
        "place": answers.place("", wanted, 5),
        "next": answers.next("", "nonfinite", -1, "forward"),
        "event": answers.event("", 9),
        "suggestions": answers.suggestions("", "op:", 3),
        "timeline": answers.timeline("", None, None, 500),
        "execution": answers.execution("", 5),
        "tensor": answers.tensor("", "Log:0", "", 50),
        "matrix": answers.matrix("", 10),
        "graph": answers.graph("", Centre(9)),
        "eager graph": answers.graph("", Centre(3)),
        "whole graph": answers.whole("", Whole(9)),
        "whole eager graph": answers.whole("", Whole(3)),
        "sources": answers.sources(""),
        "source": answers.source("", "/code/train.py"),
        "sql": answers.sql("select tensor, nan from events where neg_inf > 0 order by event"),
        "live": answers.live(""),
    }


def test_answers_agree(answers: RunAnswers) -> None:
    found = {name: asdict(answer) for name, answer in everything(answers).items()}
    assert (found["overview"]["run"], found["overview"]["editor"]) == ("sample", "vscode://{file}:{line}")
    assert found["sql"]["rows"][0][0] == found["event"]["row"]["tensor"]
    assert found["place"] == {"event": 5, "row": 1}
    assert found["next"] == {"event": 9, "row": 0}
    assert found["event"]["finding"] == 0
    assert found["findings"]["findings"][0]["event"] == found["event"]["row"]
    assert found["events"]["rows"][0] == found["event"]["row"]
    assert found["execution"]["first_bad_event"] == 9
    assert [node["node"] for node in found["graph"]["nodes"] if node["origin"]] == ["Log"]
    assert found["eager graph"]["centre"] == "execution 2"
    assert [node["node"] for node in found["whole graph"]["nodes"] if node["origin"]] == ["Log"]
    assert found["whole graph"]["name"] == found["graph"]["function"]
    assert found["whole eager graph"]["function"] is None
    revisions = {found[name]["revision"] for name in ("events", "findings", "timeline", "live")}
    assert len(revisions) == 1


def test_what_is_not_there(answers: RunAnswers) -> None:
    assert asdict(answers.place("", EventList("op:Log"), 0)) == {"event": None, "row": None}
    assert asdict(answers.next("", "nonfinite", 9, "forward")) == {"event": None, "row": None}
    with pytest.raises(AbsentError):
        answers.event("", 99)
    with pytest.raises(AbsentError):
        answers.source("", "/etc/passwd")
    with pytest.raises(UsageError, match="were not kept"):
        answers.values("", 1, Window())


def test_many_threads_ask_a_fresh_run(sample: Path) -> None:
    answers = RunAnswers(find_run(sample))
    told: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: told.append(everything(answers))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(told) == 6
    assert all(each["events"] == told[0]["events"] for each in told)
    assert all(each["timeline"] == told[0]["timeline"] for each in told)


def test_processes_by_name(sample_run: Path) -> None:
    answers = RunAnswers(find_run(sample_run))
    names = [each.process for each in answers.overview().processes]
    assert names == ["worker 0", "worker 1"]
    first, second, unnamed = (answers.events(name, EventList(), 0, 1).rows[0].event for name in (*names, ""))
    assert first == second == unnamed == 0
    assert {each.process for each in answers.findings().findings if each.kind == "origin"} == set(names)
    assert answers.event("worker 1", 9).finding == 1
    assert answers.event("worker 0", 9).finding == 0
    assert [row.process for row in answers.matrix("", 10).rows] == names
    with pytest.raises(UsageError, match="there is no process 'worker 7' in this run; choose one of worker 0, worker"):
        answers.live("worker 7")


def test_problem_is_one_sentence() -> None:
    assert asdict(Problem("no event 9; the trace has 3")) == {"error": "no event 9; the trace has 3"}
