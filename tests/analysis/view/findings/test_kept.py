from __future__ import annotations

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from tensordbg.analysis.processes.standing_for import MOST_STUDIED
from tensordbg.analysis.view.findings import kept
from tensordbg.analysis.view.findings.kept import KeptFindings
from tensordbg.analysis.view.following import FollowedTrace
from tensordbg.trace.reader import TraceReader
from tensordbg.trace.sealed.seal import seal_all
from tests.sample_trace import make_sample_trace


def test_looked_for_once(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[object] = []
    real = kept.why_of_run
    monkeypatch.setattr(kept, "why_of_run", lambda processes: calls.append(processes) or real(processes))
    followed = FollowedTrace(sample)
    findings = KeptFindings({"": followed})
    assert findings.known() is None
    found = findings.now()
    assert findings.now() is found
    assert findings.known() is found
    assert len(calls) == 1
    assert found.revision == followed.growth().revision


def test_looked_for_again_when_there_is_more(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    followed = FollowedTrace(sample)
    findings = KeptFindings({"": followed})
    found = findings.now()
    with (sample / "facts.jsonl").open("a") as file:
        file.write('{"warning": "late"}\n')
    monkeypatch.setattr(followed, "_next_look", 0.0)
    monkeypatch.setattr(findings, "_next_look", 0.0)
    later = findings.now()
    assert later.revision > found.revision
    assert later.everything.result.notes[0] == "late"


def test_finding_of_an_event(sample: Path) -> None:
    found = KeptFindings({"": FollowedTrace(sample)}).now()
    assert (found.finding_of("", 9), found.finding_of("", 8), found.finding_of("other", 9)) == (0, None, None)
    assert found.origins_of("") == {9}


def test_of_a_run_of_many_processes_the_events_of_a_few_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = MOST_STUDIED + 4
    sealed = make_sample_trace(tmp_path / "0")
    seal_all(sealed)
    for number in range(1, count):
        copytree(sealed, tmp_path / str(number))
    read: set[Path] = set()
    real = TraceReader.tensors

    def noted(reader: TraceReader, *words: Any) -> Any:
        read.add(reader.path)
        return real(reader, *words)

    monkeypatch.setattr(TraceReader, "tensors", noted)
    monkeypatch.setattr(TraceReader, "scan", lambda reader, *words: pytest.fail(str(reader.path)))
    followed = {f"rank {number}": FollowedTrace(tmp_path / str(number)) for number in range(count)}
    found = KeptFindings(followed).now().everything
    assert len(found.result.processes) == count
    assert 1 <= len(read) <= 2
