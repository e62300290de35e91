"""Every state of the page has its own link."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

from tests.e2e.page.chromium import watched_page


def test_a_link_opened_anew_restores_everything(page: Any, browser: Any, problems: list[str], digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".finding-details").get_by_role("link", name="probs:0").click()
    page.locator(".event-title", has_text="probs:0").wait_for()
    page.get_by_role("tab", name="History").click()
    page.get_by_role("navigation", name="Stack").locator(".frame", has_text="train_step").first.click()
    page.locator(".cm-line.code-chosen").get_by_text("network.logits(images)").wait_for()
    page.locator("#search").fill("name:probs*")
    page.locator("#search").press("Enter")
    page.wait_for_url(re.compile("search=name"))
    with watched_page(browser, problems) as other:
        other.goto(page.url)
        other.locator(".finding-head[aria-current=true]", has_text="Log made").wait_for()
        other.locator("[role=tab][aria-selected=true]", has_text="History").wait_for()
        other.locator(".cm-line.code-chosen").get_by_text("network.logits(images)").wait_for()
        other.locator("[role=row][aria-selected=true]", has_text="probs:0").wait_for()
        assert other.locator("#search").input_value() == "name:probs*"
        assert other.url == page.url


def test_back_and_forward(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.locator(".finding-details").get_by_role("link", name="probs:0").click()
    page.locator(".event-title", has_text="probs:0").wait_for()
    page.go_back()
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.go_forward()
    page.locator(".event-title", has_text="probs:0").wait_for()


def test_a_link_inside_the_page_opens_in_a_tab_of_its_own(page: Any, browser: Any, digits_link: str) -> None:
    page.goto(digits_link)
    link = page.locator(".finding-details").get_by_role("link", name="probs:0")
    with page.context.expect_page() as opened:
        link.click(modifiers=["Control"])
    opened.value.locator(".event-title", has_text="probs:0").wait_for()
    page.locator(".event-title", has_text="Log:0").wait_for()


def test_an_event_that_is_not_there_is_told(page: Any, problems: list[str], digits_link: str) -> None:
    page.goto(f"{digits_link}#event=99999999")
    told = page.locator("[role=alert]").first
    told.wait_for()
    assert "99,999,999" in told.inner_text() or "99999999" in told.inner_text()
    page.goto("about:blank")  # no other answer comes from here on
    assert all("404" in problem or "400" in problem for problem in problems), problems
    problems.clear()


def test_a_link_that_can_not_be_read_opens_the_page_as_it_is(page: Any, digits_link: str) -> None:
    page.goto(f"{digits_link}#event=-3&tab=nothing&from=9&to=3&line=x&hops=many")
    page.locator(".event-title", has_text="Log:0").wait_for()


def test_the_theme_is_chosen_and_kept(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_label("Theme").select_option("dark")
    assert page.evaluate(ground) != light
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.get_by_label("Theme").select_option("light")
    assert page.evaluate(ground) == light


def test_a_link_to_a_run_that_is_gone_is_told_once_with_a_way_out(
    page: Any, problems: list[str], digits_link: str
) -> None:
    page.goto(f"{digits_link}#run=gone")
    told = page.get_by_text("holds no run 'gone'; choose one that is there: ")
    told.wait_for()
    runs = page.get_by_role("combobox", name="Run")
    there = runs.locator("option").nth(1)
    assert re.fullmatch(r"digits_nan, \w+ \d+, [\d:]+", there.inner_text())
    page.wait_for_load_state("networkidle")
    assert told.count() == 1
    runs.select_option(index=1)
    page.locator(".event-title", has_text="Log:0").wait_for()
    expect(told).to_have_count(0)
    assert all("404" in problem for problem in problems), problems
    problems.clear()
