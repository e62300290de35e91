from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.analysis.view.findings import kept
from tensordbg.analysis.view.findings.kept import KeptFindings
from tensordbg.analysis.view.following import FollowedTrace


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
