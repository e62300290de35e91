"""The headline: the chosen finding over the full width, and the ways to hand it on."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import expect

from tests.e2e.page.chromium import watched_page


def test_cause_line_and_fix_over_the_full_width(page: Any, digits_link: str) -> None:
    page.set_viewport_size({"width": 2560, "height": 1440})
    page.goto(digits_link)
    headline = page.get_by_role("region", name="The chosen finding")
    expect(headline).to_contain_text("Log made 1 × -inf")
    expect(headline).to_contain_text("digits_nan.py:53, unstable_loss(), step 3")
    expect(headline).to_contain_text("log(0) is -inf")
    expect(headline).to_contain_text("softmax_cross_entropy_with_logits")
    assert headline.bounding_box()["width"] > 2500
    headline.get_by_role("link", name="tf.math.log(probs)").click()
    page.locator(".cm-line.code-chosen").get_by_text("tf.math.log(probs)").wait_for()


def test_cause_and_fix_stand_once_on_the_page(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-finding", has_text="Log made 1 × -inf").wait_for()
    page.locator(".finding-details").wait_for()
    expect(page.get_by_text("log(0) is -inf")).to_have_count(1)
    expect(page.get_by_text("Fix:")).to_have_count(1)


def test_it_is_copied_as_markdown_and_as_a_link(browser: Any, problems: list[str], digits_link: str) -> None:
    with watched_page(browser, problems, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.goto(digits_link)
        page.locator(".event-title", has_text="Log:0").wait_for()
        page.get_by_role("button", name="Copy as Markdown").click()
        page.get_by_role("button", name="Copied ✓").wait_for()
        text = page.evaluate("navigator.clipboard.readText()")
        assert text.startswith("**Log made 1 × -inf** (digits_nan.py:53, unstable_loss(), step 3)\n\n`log_of_zero`: ")
        assert "```python\nreturn tf.reduce_mean(" in text
        assert text.endswith(f"[In tensordbg]({page.url})\n")
        page.get_by_role("button", name="Copy link").click()
        page.get_by_role("button", name="Copied ✓").wait_for()
        assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert problems == []


def test_its_line_is_opened_in_an_editor(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    link = page.get_by_role("region", name="The chosen finding").get_by_role("link", name="Open digits_nan.py:53")
    link.wait_for()
    href = link.get_attribute("href")
    assert href.startswith("vscode://file/")
    assert href.endswith("examples/digits_nan.py:53")
