"""The page in a narrow window: a telephone, a cell of a notebook, half of a screen."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect


def test_a_narrow_page_is_opened_at_the_findings(page: Any, digits_link: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.locator(".cm-line.code-chosen").wait_for()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.scrollY") == 0
    expect(page.locator(".finding-head[aria-current=true]")).to_be_in_viewport()


def test_what_heads_hold_is_in_view_beside_an_editor(page: Any, digits_link: str) -> None:
    page.set_viewport_size({"width": 800, "height": 700})
    page.goto(digits_link)
    page.locator(".timeline-extent").wait_for()
    for name in ("All", "Help"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_in_viewport(ratio=1)
    graph = page.get_by_role("tab", name="Graph")
    expect(graph).to_be_in_viewport(ratio=1)
    graph.click()
    page.locator(".graph-svg").wait_for()
