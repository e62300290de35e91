"""The palette: by the name of anything to it, or to what a key does."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect


@pytest.fixture
def opened(page: Any, digits_link: str) -> Any:
    """The page at its first finding, with the palette over it."""
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name=re.compile("Name of a finding")).wait_for()
    return page


def chosen(page: Any) -> Any:
    return page.locator(".palette-option[aria-selected=true]")


def test_it_opens_on_the_findings_and_closes_again(opened: Any) -> None:
    expect(chosen(opened)).to_contain_text("Log made 1 × -inf")
    opened.keyboard.press("Escape")
    expect(opened.locator(".palette")).not_to_be_visible()
    opened.get_by_role("button", name="Go to…").click()
    expect(chosen(opened)).to_contain_text("Log made 1 × -inf")


def test_to_a_tensor_by_its_name(opened: Any) -> None:
    opened.keyboard.type("probs:0")
    expect(opened.locator(".palette-tensor", has_text="probs:0")).to_have_count(1)
    opened.keyboard.press("Enter")
    opened.locator(".event-title", has_text="probs:0").wait_for()
    expect(opened.locator(".palette")).not_to_be_visible()


def test_to_a_file_and_to_a_command(opened: Any) -> None:
    opened.keyboard.type("digits_nan.py")
    expect(chosen(opened)).to_contain_text("file")
    opened.keyboard.press("Enter")
    opened.wait_for_url(re.compile("file=.*digits_nan.py"))
    opened.keyboard.press("Control+k")
    opened.locator(".palette").wait_for()
    opened.keyboard.type("theme dark")
    expect(chosen(opened)).to_contain_text("theme: dark")
    opened.keyboard.press("Enter")
    opened.locator("html[data-theme=dark]").wait_for()


def test_arrows_choose_and_any_text_can_be_searched_for(opened: Any) -> None:
    opened.keyboard.type("op:Softmax")
    opened.locator(".palette-search").first.wait_for()
    expect(chosen(opened)).to_contain_text("events: op:Softmax")
    opened.keyboard.press("ArrowDown")
    expect(chosen(opened)).to_contain_text("in the graph: op:Softmax")
    opened.keyboard.press("ArrowUp")
    opened.keyboard.press("Enter")
    opened.wait_for_url(re.compile("search=op%3ASoftmax"))
    opened.locator(".panel-events [role=row]", has_text="probs:0").first.wait_for()


def test_it_opens_again_however_soon_after_it_was_closed(opened: Any) -> None:
    # The browser tells that a dialog was closed some time after; told late, it closed the one that was open by then.
    for wait in (0, 1, 2, 4, 8, 12, 16, 24, 32):
        opened.evaluate(
            """async (wait) => {
              const press = () => document.activeElement.dispatchEvent(
                new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, bubbles: true, cancelable: true}));
              press();
              await new Promise((done) => setTimeout(done, wait));
              press();
              await new Promise((done) => setTimeout(done, 200));
            }""",
            wait,
        )
        expect(opened.locator(".palette")).to_be_visible()
