"""The table as a whole: every cause is known to the manual, and the last takes what is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.analysis.causes.table import TABLE
from tests.analysis.causes.cases import verdict

PAGES = Path(__file__).parents[3] / "docs" / "causes"
NAMES = [cause.name for cause in TABLE]


def test_names_are_unique() -> None:
    assert len(NAMES) == len(set(NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_every_cause_has_a_page(name: str) -> None:
    page = (PAGES / f"{name}.md").read_text()
    assert page.startswith(f"# {name}\n")
    assert f"({name}.md)" in (PAGES / "index.md").read_text()


def test_no_page_without_its_cause() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == {*NAMES, "index"}


def test_unknown_says_so() -> None:
    said = verdict("Quelle", [float("nan")], [1.0])
    assert said.cause == "unknown"
    assert "None of the known causes fits what Quelle was given" in said.explanation
