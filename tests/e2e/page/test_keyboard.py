"""All of the page by keys."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect


@pytest.fixture
def opened(page: Any, digits_link: str) -> Any:
    """The page, at its first finding."""
    page.goto(digits_link)
    heading(page, "Log:0")
    return page


def heading(page: Any, tensor: str) -> None:
    """Waits until a tensor is the chosen one."""
    page.locator(".event-title", has_text=re.compile(f"^{re.escape(tensor)}$")).wait_for()


def chosen_finding(page: Any) -> str:
    return page.locator(".finding-head[aria-current=true]").inner_text()


def test_findings_one_after_the_other(page: Any, two_troubles_link: str) -> None:
    page.goto(two_troubles_link)
    heading(page, "Log:0")
    page.keyboard.press("n")
    heading(page, "Sqrt:0")
    assert "Sqrt made" in chosen_finding(page)
    page.keyboard.press("n")
    page.keyboard.press("p")
    heading(page, "Log:0")
    assert "Log made" in chosen_finding(page)


def test_events_one_after_the_other_as_the_table_has_them(opened: Any) -> None:
    first = int(re.search(r"event=(\d+)", opened.url)[1])
    opened.keyboard.press("j")
    opened.wait_for_url(re.compile(rf"event={first + 1}\b"))
    opened.keyboard.press("k")
    opened.wait_for_url(re.compile(rf"event={first}\b"))
    opened.locator("[role=row][aria-selected=true]", has_text="Log:0").wait_for()


def test_the_next_event_that_is_not_finite(opened: Any) -> None:
    first = int(re.search(r"event=(\d+)", opened.url)[1])
    opened.keyboard.press("b")
    opened.wait_for_url(re.compile(rf"event=(?!{first}\b)"))
    assert int(re.search(r"event=(\d+)", opened.url)[1]) > first
    opened.locator(".event-parts .bad").first.wait_for()
    opened.keyboard.press("Shift+B")
    opened.wait_for_url(re.compile(rf"event={first}\b"))


def test_search_takes_the_keys_until_escape(opened: Any) -> None:
    opened.keyboard.press("/")
    field = opened.get_by_role("search").get_by_role("combobox")
    expect(field).to_be_focused()
    opened.keyboard.type("n")
    expect(field).to_have_value("n")
    heading(opened, "Log:0")
    # The first closes the suggestions.
    opened.keyboard.press("Escape")
    opened.keyboard.press("Escape")
    expect(field).not_to_be_focused()


def test_the_help_lists_every_key_and_closes(opened: Any) -> None:
    opened.keyboard.press("?")
    dialog = opened.get_by_role("dialog", name="Help")
    dialog.wait_for()
    keys = dialog.locator("kbd").all_inner_texts()
    assert {"n", "p", "j", "k", "b", "B", "/", "?", "1", "2", "3", "4", "f", "Esc"} <= set(keys)
    opened.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    # And the keys work again.
    first = opened.url
    opened.keyboard.press("j")
    opened.wait_for_url(lambda url: url != first)


def test_the_help_is_narrowed_by_what_one_types(opened: Any) -> None:
    opened.keyboard.press("?")
    dialog = opened.get_by_role("dialog", name="Help")
    expect(dialog.get_by_role("heading", level=3)).to_have_count(7)
    opened.keyboard.type("next finding")
    expect(dialog.locator("kbd")).to_have_text(["n"])
    expect(dialog.get_by_role("status")).to_have_text("1 entry")
    opened.keyboard.press("Control+a")
    opened.keyboard.type("nothing has this")
    expect(dialog.get_by_role("heading", level=3)).to_have_count(0)
    dialog.get_by_role("button", name="Close").click()
    opened.keyboard.press("?")
    expect(dialog.get_by_role("heading", level=3)).to_have_count(7)


def test_the_views_of_an_event(opened: Any) -> None:
    for key, name in [("2", "History"), ("3", "Values"), ("4", "Graph"), ("1", "Event")]:
        opened.keyboard.press(key)
        opened.locator(f"[role=tab][aria-selected=true]:has-text('{name}')").wait_for()
    opened.get_by_role("tab", name="Event").focus()
    opened.keyboard.press("ArrowRight")
    opened.locator("[role=tab][aria-selected=true]:has-text('History'):focus").wait_for()


def share_of_findings(opened: Any) -> int:
    return round(100 * opened.locator(".panel-findings").bounding_box()["width"] / opened.viewport_size["width"])


def test_panels_are_resized_and_stay_so(opened: Any) -> None:
    bar = opened.get_by_role("separator", name="Width of the findings")
    before = opened.locator(".panel-findings").bounding_box()["width"]
    expect(bar).to_have_attribute("aria-valuenow", str(share_of_findings(opened)))
    bar.focus()
    for _ in range(4):
        opened.keyboard.press("ArrowRight")
    wider = opened.locator(".panel-findings").bounding_box()["width"]
    assert wider > before + 50
    expect(bar).to_have_attribute("aria-valuenow", str(share_of_findings(opened)))
    opened.reload()
    heading(opened, "Log:0")
    assert opened.locator(".panel-findings").bounding_box()["width"] == pytest.approx(wider, abs=2)
    opened.get_by_role("separator", name="Width of the findings").focus()
    opened.keyboard.press("Enter")
    assert opened.locator(".panel-findings").bounding_box()["width"] == pytest.approx(before, abs=2)


def test_everything_that_acts_is_reached_with_tab_and_has_a_name(opened: Any) -> None:
    nameless = opened.evaluate(
        """() => [...document.querySelectorAll('button, a[href], input, select, [role=button], [role=tab]')]
            .filter((each) => each.checkVisibility() && each.tabIndex >= 0)
            .filter((each) => !(each.getAttribute('aria-label') || each.innerText.trim() || each.labels?.length
                || each.getAttribute('aria-labelledby') || each.title))
            .map((each) => each.outerHTML)"""
    )
    assert nameless == []
    seen = set()
    for _ in range(120):
        opened.keyboard.press("Tab")
        seen.add(opened.evaluate("document.activeElement?.closest('section, header.bar')?.className"))
    for panel in ("bar", "panel-findings", "panel-timeline", "panel-events", "panel-source", "panel-detail"):
        assert any(panel in (name or "").split() for name in seen), panel


def test_the_first_key_leads_past_the_bar(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    before = page.url
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the panels")
    expect(page.locator(":focus")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('main').contains(document.activeElement)")
    assert page.url == before
