"""The page brings its own typefaces along, so that it looks alike on every machine; its mark is that of the manual."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tests import programs

LOADED = """async () => {
    await document.fonts.ready;
    const loaded = [...document.fonts].filter(({ status }) => status === 'loaded');
    return loaded.map(({ family }) => family.replaceAll('"', ''));
}"""
FAMILIES = {"Inter Variable", "JetBrains Mono Variable"}


def test_served(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    assert set(page.evaluate(LOADED)) == FAMILIES


def test_saved_page_holds_them(page: Any, digits: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    command = [sys.executable, "-m", "tensordbg", "report", str(digits), "-o", str(report)]
    programs.run(command, check=True, capture_output=True)
    page.goto(report.as_uri())
    page.locator(".event-title", has_text="Log:0").wait_for()
    assert set(page.evaluate(LOADED)) == FAMILIES


def test_the_mark_is_that_of_the_manual(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    mark = unquote(page.locator(".bar-mark").get_attribute("src")).partition(",")[2]
    manual = Path(__file__).parents[3] / "docs" / "images" / "mark.svg"
    assert mark == manual.read_text(encoding="utf-8").strip()
