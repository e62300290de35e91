"""The graph panel in a real browser: walked along its edges, opened level by level, read as a list."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture
def opened(page: Any, digits_link: str) -> Any:
    """The graph around the first origin."""
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.get_by_role("tab", name="Graph").click()
    page.get_by_role("button", name="Around").click()
    page.locator(".graph-node").first.wait_for()
    return page


def node(page: Any, words: str) -> Any:
    """The node whose words begin so."""
    return page.locator(f".graph-node-body[aria-label^='{words}']")


def wait_until(page: Any, holds: Callable[[], bool]) -> None:
    """Waits; the page's policy forbids the browser to evaluate a condition again and again by itself."""
    for _ in range(200):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it did not come to that")


def test_inputs_above_and_consumers_below_with_their_health(opened: Any) -> None:
    log = node(opened, "Log Log, not finite, the chosen operation, the origin of the trouble")
    probs, mul = node(opened, "Softmax probs"), node(opened, "Mul mul, not finite")
    high = [each.bounding_box()["y"] for each in (probs, log, mul)]
    assert high == sorted(high)
    assert "!" in log.locator("xpath=..").locator(".graph-node-sign").text_content()
    assert opened.locator(".graph-origin").count() == 1
    # What flows is written at the edge, and in full for who points at it.
    labels = opened.locator(".graph-edge text").all_text_contents()
    assert any(re.search(r":0 \[100, 10\] float32", label) for label in labels)
    titles = opened.locator(".graph-edge title").all_text_contents()
    assert "output 0 of probs to input 0 of Log, [100, 10] float32" in titles
    # It stands in the call of the function that computes the loss.
    assert opened.locator(".graph-box-call[data-box='PartitionedCall']").count() == 1


def test_arrow_keys_walk_to_the_input_and_enter_chooses_it(opened: Any) -> None:
    node(opened, "Log Log").focus()
    opened.keyboard.press("ArrowUp")
    assert opened.evaluate("document.activeElement.getAttribute('data-node')").endswith("probs")
    opened.keyboard.press("Enter")
    node(opened, "Softmax probs, finite here, not finite in another execution, the chosen operation").wait_for()
    assert "tab=graph" in opened.url


def test_more_steps_show_more_and_a_link_keeps_them(opened: Any) -> None:
    before = opened.locator(".graph-node").count()
    opened.get_by_role("button", name="More steps").click()
    opened.locator(".graph-node").nth(before).wait_for()
    assert "hops=2" in opened.url
    more = opened.locator(".graph-node").count()
    opened.reload()
    opened.locator(".graph-node").first.wait_for()
    assert opened.locator(".graph-node").count() == more


def test_hidden_neighbours_are_shown_when_asked_for(opened: Any) -> None:
    mul = node(opened, "Mul mul")
    assert "more" in mul.get_attribute("aria-label")
    before = opened.locator(".graph-node").count()
    mul.focus()
    opened.keyboard.press("m")
    opened.locator(".graph-node").nth(before).wait_for()
    assert "opened=%2BPartitionedCall%2Fmul" in opened.url
    opened.locator("[data-node$='/mul'][aria-label*='not shown']").wait_for(state="detached")


def test_a_call_is_opened_in_place_and_closed_again(opened: Any) -> None:
    for _ in range(2):
        opened.get_by_role("button", name="More steps").click()
    closed = node(opened, "StatefulPartitionedCall")
    closed.wait_for()
    assert "closed" in closed.get_attribute("aria-label")
    boxes = opened.locator(".graph-box-call").count()
    closed.focus()
    opened.keyboard.press("o")
    opened.locator(".graph-box-call").nth(boxes).wait_for()
    assert "opened=StatefulPartitionedCall" in opened.url
    node(opened, "StatefulPartitionedCall").focus()
    opened.keyboard.press("o")
    opened.locator(".graph-box-call").nth(boxes).wait_for(state="detached")


def test_an_operation_that_was_not_recorded_tells_what_it_is(opened: Any) -> None:
    call = node(opened, "PartitionedCall PartitionedCall")
    assert "not recorded" in call.get_attribute("aria-label")
    before = re.search(r"event=\d+", opened.url)[0]
    call.focus()
    opened.keyboard.press("Enter")
    told = opened.locator(".graph-info")
    told.wait_for()
    assert "unstable_loss" in told.inner_text()
    assert before in opened.url
    opened.get_by_role("button", name="Close", exact=True).click()
    told.wait_for(state="detached")


def test_the_same_as_a_list(opened: Any) -> None:
    opened.get_by_role("button", name="List", exact=True).click()
    listed = opened.locator(".graph-list")
    assert re.search(r"Inputs\n.*Softmax.*probs", listed.inner_text(), re.DOTALL)
    listed.get_by_role("button", name=re.compile("Softmax")).click()
    opened.locator("[role=row][aria-selected=true]", has_text="probs:0").wait_for()


def test_the_wheel_zooms_and_fit_shows_all(opened: Any) -> None:
    scale = "() => document.querySelector('.graph-svg > g').getCTM().a"
    before = opened.evaluate(scale)
    box = opened.locator(".graph-svg").bounding_box()
    opened.mouse.move(box["x"] + 60, box["y"] + 60)
    opened.mouse.wheel(0, -400)
    wait_until(opened, lambda: opened.evaluate(scale) > before)
    opened.get_by_role("button", name="Fit").click()
    for each in opened.locator(".graph-node-body").all():
        inner = each.bounding_box()
        assert box["x"] - 1 <= inner["x"]
        assert inner["x"] + inner["width"] <= box["x"] + box["width"] + 1
