"""The timeline in a real browser: looking closer, choosing executions with mouse and keys, and what is told of them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

CALLED = re.compile(r"#[\d,]+ train_step\b")


@pytest.fixture
def opened(page: Any, digits_link: str) -> Any:
    """The page, at its first finding."""
    page.goto(digits_link)
    page.locator(".timeline-told", has_text=CALLED).wait_for()
    # Once the event is there, too, nothing moves the view any more.
    page.locator(".event-title", has_text="Log:0").wait_for()
    return page


def chosen(page: Any) -> int:
    """Number of the execution that the timeline has chosen."""
    return int(re.search(r"#([\d,]+)", page.locator(".timeline-told").inner_text())[1].replace(",", ""))


def extent(page: Any) -> str:
    return page.locator(".timeline-extent").inner_text()


def test_the_execution_of_the_chosen_event_with_its_tensor_events(opened: Any) -> None:
    told = opened.locator(".timeline-chosen").inner_text()
    assert "function · step 3" in told
    assert re.search(r"! \d+ of \d+ tensors not finite", told)
    cells = opened.locator(".timeline-cell")
    cells.first.wait_for()
    # The sign is written: nobody has to see that it is red. Where it began has another.
    bad = opened.locator(".timeline-cell-bad")
    assert bad.count() > 5
    assert bad.first.inner_text() == "!"
    expect(opened.locator(".timeline-cell-origin")).to_have_text("◆")
    current = opened.locator(".timeline-cell[aria-current=true]")
    assert current.get_attribute("aria-label") == "Log:0 (Log), -inf, origin"
    current.focus()
    # Which tensor is computed next is up to the runtime.
    event = int(re.search(r"event=(\d+)", opened.url)[1])
    opened.keyboard.press("ArrowRight")
    opened.wait_for_url(re.compile(rf"event={event + 1}\b"))
    opened.locator(f".timeline-cell[aria-current=true][data-event='{event + 1}']").wait_for()


def test_keys_walk_from_execution_to_execution(opened: Any) -> None:
    before = chosen(opened)
    lanes = opened.get_by_role("application", name=re.compile("Executions over time"))
    lanes.focus()
    for _ in range(3):
        opened.keyboard.press("ArrowRight")
    opened.wait_for_url(re.compile(rf"execution={before + 3}\b"))
    assert chosen(opened) == before + 3
    # What is chosen is told to who does not see the drawing.
    words = opened.locator("#timeline-chosen-words")
    assert words.inner_text().startswith(f"Execution {before + 3}: ")
    assert words.get_attribute("aria-live") == "polite"
    opened.keyboard.press("Home")
    opened.wait_for_url(re.compile(r"execution=1\b"))
    opened.keyboard.press("Enter")
    opened.wait_for_url(re.compile("search=execution%3A1"))


def test_every_panel_goes_to_the_execution(opened: Any) -> None:
    before = chosen(opened)
    opened.get_by_role("button", name="bad ›").click()
    opened.wait_for_url(re.compile(rf"execution=(?!{before}\b)"))
    number = chosen(opened)
    event = int(re.search(r"event=(\d+)", opened.url)[1])
    assert f"execution={number}" in opened.url
    opened.locator(f"[role=row][aria-selected=true]:has-text('{event}')").wait_for()


def extent_at_rest(page: Any) -> str:
    """What the page tells when it has taken in all that the wheel did: that goes on after the call returns."""
    before = ""
    while (now := f"{page.url} {extent(page)}") != before:
        before = now
        page.wait_for_timeout(500)
    return extent(page)


def test_wheel_and_keys_look_closer_and_a_link_keeps_it(opened: Any, digits_link: str) -> None:
    assert "in view" not in extent(opened)
    box = opened.locator(".timeline-drawing").bounding_box()
    opened.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + 10)
    for _ in range(3):
        opened.mouse.wheel(0, -300)
    opened.wait_for_url(re.compile(r"from=\d+&to=\d+"))
    closer = extent_at_rest(opened)
    assert "in view" in closer
    link = opened.url
    opened.goto("about:blank")
    opened.goto(link)
    opened.locator(".timeline-told", has_text=CALLED).wait_for()
    assert extent(opened) == closer
    opened.locator(".timeline-drawing").focus()
    opened.keyboard.press("0")
    opened.wait_for_url(re.compile(r"^(?!.*from=)"))
    assert "in view" not in extent(opened)


def test_a_stretch_is_marked_with_shift_or_on_the_strip(opened: Any) -> None:
    def drag(selector: str) -> tuple[int, int]:
        box = opened.locator(selector).bounding_box()
        opened.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 8)
        opened.mouse.down()
        opened.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 8)
        opened.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 8)
        opened.mouse.up()
        opened.wait_for_url(re.compile(r"from=\d+&to=\d+"))
        begin, end = re.search(r"from=(\d+)&to=(\d+)", opened.url).groups()
        opened.get_by_role("button", name="All", exact=True).click()
        opened.wait_for_url(re.compile(r"^(?!.*from=)"))
        return int(begin), int(end)

    # Nothing chosen lies there, so the view is not moved to it.
    strip = drag(".timeline-overview")
    opened.keyboard.down("Shift")
    lanes = drag(".timeline-drawing")
    opened.keyboard.up("Shift")
    length = lanes[1] - lanes[0]
    assert length > 0
    assert strip[0] == pytest.approx(lanes[0], abs=length / 20)
    assert strip[1] == pytest.approx(lanes[1], abs=length / 20)


def test_the_mouse_is_told_what_it_is_at_and_a_click_chooses_it(opened: Any) -> None:
    box = opened.locator(".timeline-drawing").bounding_box()
    # The first call is the longest: it was traced then. It is looked for from the left.
    for share in range(40, 90):
        opened.mouse.move(box["x"] + box["width"] * share / 100, box["y"] + 10)
        told = opened.locator(".timeline-tooltip")
        if told.count() and "(function)" in told.inner_text():
            break
    lines = told.inner_text().splitlines()
    assert lines[0] == "train_step (function)"
    number = int(re.search(r"execution (\d+), step \d+", lines[1])[1])
    assert re.search(r"at .*, .* (ms|s)$", lines[2])
    assert "tensors" in lines[3]
    opened.mouse.down()
    opened.mouse.up()
    opened.wait_for_url(re.compile(rf"execution={number}\b"))
    assert chosen(opened) == number


def test_letters_move_the_view_and_fit_it_and_what_is_in_view_is_summed_up(opened: Any) -> None:
    opened.locator(".timeline-drawing").focus()
    opened.keyboard.press("f")
    opened.wait_for_url(re.compile(r"from=\d+&to=\d+"))
    told = opened.get_by_role("status", name="What is in view")
    assert re.search(r"train_step\s+\d+ × ", told.inner_text())
    assert re.search(r"! \d+ of \d+ tensors not finite", told.inner_text())
    fitted = int(re.search(r"from=(\d+)", opened.url)[1])
    opened.keyboard.press("d")
    opened.wait_for_url(re.compile(rf"from=(?!{fitted}&)"))
    assert int(re.search(r"from=(\d+)", opened.url)[1]) > fitted
    opened.keyboard.press("a")
    opened.wait_for_url(re.compile(rf"from={fitted}&"))
    opened.keyboard.press("s")
    opened.wait_for_url(re.compile(rf"from=(?!{fitted}&)"))
    opened.keyboard.press("w")
    told.get_by_role("link", name="events in view").click()
    opened.wait_for_url(re.compile(r"search=execution%3A\d+\.\.\d+"))
    opened.locator(".timeline-drawing").focus()
    opened.keyboard.press("0")
    expect(told).to_contain_text("in all")
