"""axe-core finds nothing to say against the page, in light and in dark, whatever it shows."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.chromium import watched_page

AXE = Path(__file__).parents[3] / "web" / "node_modules" / "axe-core" / "axe.min.js"
FOUND = """async () => (await axe.run()).violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)"""
TABS = {
    "Event": ".event-title",
    "History": ".chart canvas",
    "Values": ".value-table",
    "Graph": ".graph-svg .graph-node",
}


@functools.cache
def axe() -> str:
    assert AXE.is_file(), f"{AXE} is not there: run `make page`"
    return AXE.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("tab", list(TABS))
def test_nothing_is_found(browser: Any, problems: list[str], digits_link: str, tab: str, theme: str) -> None:
    # The policy of the page would not let axe in.
    with watched_page(browser, problems, color_scheme=theme, bypass_csp=True) as page:
        page.goto(digits_link)
        page.locator(".event-title", has_text="Log:0").wait_for()
        page.get_by_role("tab", name=tab).click()
        page.locator(TABS[tab]).first.wait_for()
        page.locator(".cm-line.code-chosen").wait_for()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        page.evaluate(axe())
        assert page.evaluate(FOUND) == []
    assert problems == []
