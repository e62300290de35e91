"""The table of tensor events, used as a person would."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tensordbg.analysis.query import sql
from tensordbg.trace.reader import open_trace
from tests.e2e.page.chromium import watched_page

ROWS = ".events-rows [role=row]:not([aria-busy])"
CHOSEN = "[role=row][aria-selected=true]"


@pytest.fixture(scope="module")
def ask(digits: Path) -> Callable[[str], list[dict[str, Any]]]:
    """The answer of DuckDB about the same trace."""
    (trace,) = digits.iterdir()
    reader = open_trace(trace)
    return lambda query: sql(reader, query).to_pylist()


def number_of(row: Any) -> int:
    return int(row.locator(".cell-event").inner_text().replace(",", ""))


def test_the_chosen_event_and_its_inputs_are_marked(page: Any, digits_link: str) -> None:
    # In which order the runtime computed them is not the same each time: on a high page both are in view.
    page.set_viewport_size({"width": 1280, "height": 3000})
    page.goto(digits_link)
    page.locator(f"{CHOSEN}", has_text="Log:0").wait_for()
    named = page.locator(".inputs")
    named.get_by_text("probs:0").wait_for()
    # It is marked in the table too, and says so without colour.
    marked = page.locator(".row-input", has_text="probs:0")
    marked.wait_for()
    assert "input 0" in marked.inner_text()


def test_an_input_that_is_out_of_view_is_named_and_leads_there(page: Any, digits_link: str) -> None:
    page.goto(f"{digits_link}#search=op%3ALog")
    page.locator(ROWS).first.wait_for()
    page.locator(ROWS, has_text="unstable_loss").first.click()
    named = page.locator(".inputs").get_by_role("link", name="probs:0")
    named.wait_for()
    assert "in view" not in named.inner_text()
    named.click()
    page.locator(".event-title", has_text="probs:0").wait_for()
    page.get_by_text("The chosen event is not in this list.").wait_for()


def test_the_line_of_inputs_does_not_hide_the_chosen_row(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".inputs").wait_for()
    room = page.locator("#events").evaluate("table => table.clientHeight")
    # Below the last row that there is room for, so that it comes to the bottom before its inputs are known.
    page.goto(f"{digits_link}#event={room // 26 + 3}")
    page.reload()
    page.locator(".inputs").wait_for()
    page.wait_for_function(
        "() => document.querySelector('#events [aria-selected=true]')?.getBoundingClientRect().bottom"
        " <= document.querySelector('#events').getBoundingClientRect().bottom + 1"
    )


def test_the_arrow_keys_choose_rows(page: Any, digits_link: str, ask: Any) -> None:
    page.goto(f"{digits_link}#event=100")
    page.locator(CHOSEN).wait_for()
    page.locator("#events").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**event=101*")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.wait_for_url("**event=99*")
    page.keyboard.press("End")
    (last,) = ask("SELECT max(event) AS event FROM tensors")
    page.wait_for_url(f"**event={last['event']}*")
    active = page.locator("#events").get_attribute("aria-activedescendant")
    assert number_of(page.locator(f"[id='{active}']")) == last["event"]
    page.keyboard.press("Home")
    page.wait_for_url("**event=0*")


def test_a_click_on_a_head_sorts(page: Any, digits_link: str, ask: Any) -> None:
    page.goto(f"{digits_link}#event=2000")
    page.locator(CHOSEN).wait_for()
    head = page.get_by_role("columnheader", name="Max")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    assert "order=max" in page.url
    maxima = [row["max"] for row in ask("SELECT max FROM tensors")]
    largest = max(value for value in maxima if value is not None and math.isfinite(value))
    place = [each.strip() for each in page.get_by_role("columnheader").all_inner_texts()].index("Max ▼")
    first = page.locator(f"{ROWS}[aria-rowindex='2'] [role=gridcell]").nth(place)
    expect(first).not_to_have_attribute("title", "none")
    assert float(first.get_attribute("title")) == largest
    expect(first).to_be_in_viewport()
    expect(page.locator(".found-notice")).to_have_count(0)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("button").click()
    expect(page.get_by_role("columnheader", name="Event")).to_have_attribute("aria-sort", "ascending")


def test_columns_are_chosen_and_kept_in_the_link(
    page: Any, browser: Any, problems: list[str], digits_link: str
) -> None:
    page.goto(f"{digits_link}#event=0")
    page.locator(ROWS).first.wait_for()
    page.get_by_label("Columns", exact=True).click()
    page.get_by_role("checkbox", name="Std").check()
    page.get_by_role("checkbox", name="Device").uncheck()
    page.keyboard.press("Escape")
    expect(page.get_by_role("checkbox", name="Std")).to_be_hidden()
    with watched_page(browser, problems) as other:
        other.goto(page.url)
        other.get_by_role("columnheader", name="Std").wait_for()
        expect(other.get_by_role("columnheader", name="Device")).to_have_count(0)


def test_a_column_is_dragged_wider_and_stays_so(page: Any, digits_link: str) -> None:
    page.goto(f"{digits_link}#event=0")
    head = page.get_by_role("columnheader", name="Tensor")
    before = head.bounding_box()["width"]
    grip = head.locator(".head-grip").bounding_box()
    page.mouse.move(grip["x"] + 3, grip["y"] + 5)
    page.mouse.down()
    page.mouse.move(grip["x"] + 63, grip["y"] + 5, steps=4)
    page.mouse.up()
    assert head.bounding_box()["width"] == pytest.approx(before + 60, abs=4)
    page.reload()
    head.wait_for()
    assert head.bounding_box()["width"] == pytest.approx(before + 60, abs=4)
    head.locator(".head-grip").dblclick()
    assert head.bounding_box()["width"] == pytest.approx(before, abs=4)


def test_next_and_previous_non_finite_event(page: Any, digits_link: str, ask: Any) -> None:
    bad = [
        row["event"]
        for row in ask("SELECT event FROM tensors WHERE nan + neg_inf + pos_inf > 0 ORDER BY event LIMIT 2")
    ]
    page.goto(f"{digits_link}#event=0")
    page.locator(ROWS).first.wait_for()
    events = page.get_by_role("region", name="Tensor events")
    events.get_by_role("button", name="Next non-finite event").click()
    page.wait_for_url(f"**event={bad[0]}*")
    events.get_by_role("button", name="Next non-finite event").click()
    page.wait_for_url(f"**event={bad[1]}*")
    events.get_by_role("button", name="Previous non-finite event").click()
    page.wait_for_url(f"**event={bad[0]}*")
    events.get_by_role("button", name="Previous non-finite event").click()
    events.get_by_text("No non-finite event before this one.").wait_for()
