from __future__ import annotations

import json
from pathlib import Path

import pytest

from tensordbg.errors import UsageError
from tensordbg.report.saved_page import page
from tensordbg.report.saved_page.page import saved_page
from tensordbg.trace.folders.runs import find_run
from tensordbg.wire.view.answers import RunAnswers
from tests.report.saved import BUNDLE


@pytest.fixture
def answers(sample: Path) -> RunAnswers:
    return RunAnswers(find_run(sample))


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "saved.html"
    path.write_text(BUNDLE, encoding="utf-8")
    monkeypatch.setattr(page, "BUNDLE", path)
    return path


def test_the_content_is_put_into_the_page(answers: RunAnswers, bundle: Path) -> None:
    before, after = BUNDLE.rsplit("{answers}", 1)
    made = saved_page(answers).decode()
    assert made.startswith(before)
    assert made.endswith(after)
    assert json.loads(made[len(before) : -len(after)])["findings"]["non_finite_events"] == 1


def test_the_whole_page_has_its_size(answers: RunAnswers, bundle: Path) -> None:
    assert len(saved_page(answers, size=9_000)) <= 9_000 < len(saved_page(answers))


def test_a_page_that_was_not_built(answers: RunAnswers, bundle: Path) -> None:
    bundle.unlink()
    with pytest.raises(UsageError, match="the page is not there, since it was not built: run `make` in the sources"):
        saved_page(answers)
