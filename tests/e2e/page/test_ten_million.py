"""The table of ten million events, scrolled to its end in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.long_trace import EVENTS, write_long_trace
from tests.e2e.page.recorded import shared

ROWS = ".events-rows [role=row]"
LATE_MS = 60_000
"""A busy machine is no fault."""


@pytest.fixture(scope="module")
def long_link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """The page of ten million events."""
    folder: Path = shared(tmp_path_factory, "ten-million", write_long_trace)
    return serve(folder)


@pytest.fixture
def table(page: Any, long_link: str) -> Any:
    """The table, with its first rows."""
    page.set_default_timeout(LATE_MS)
    # Sorted by event, with a search that finds all: the page then stays where it is when the findings come.
    page.goto(f"{long_link}#search=event%3A0..")
    settled(page)
    return page.locator("#events")


def settled(page: Any) -> None:
    """Waits until every row that is seen is there."""
    page.locator(f"{ROWS}:not([aria-busy])").first.wait_for()
    expect(page.locator(f"{ROWS}[aria-busy]")).to_have_count(0, timeout=LATE_MS)


def rows(page: Any) -> list[int]:
    """Numbers of the rows that are drawn, from 0."""
    indices: list[str] = page.locator(ROWS).evaluate_all("rows => rows.map((row) => row.getAttribute('aria-rowindex'))")
    return [int(index) - 2 for index in indices]


def event_of(row: Any) -> int:
    """The number that the row shows."""
    return int(row.locator(".cell-event").inner_text().replace(",", ""))


def test_the_keyboard_goes_to_the_last_and_the_first_event(page: Any, table: Any) -> None:
    assert table.get_attribute("aria-rowcount") == str(EVENTS + 1)
    table.focus()
    page.keyboard.press("End")
    chosen = page.locator("[role=row][aria-selected=true]")
    chosen.wait_for()
    assert event_of(chosen) == EVENTS - 1
    assert rows(page)[-1] == EVENTS - 1
    page.keyboard.press("ArrowUp")
    page.wait_for_url(f"**event={EVENTS - 2}*")
    page.keyboard.press("Home")
    page.wait_for_url("**event=0*")
    assert event_of(chosen) == 0


def test_the_scrollbar_spans_all_events(page: Any, table: Any) -> None:
    for share, least in ((0.5, EVENTS * 0.49), (1, EVENTS - 100), (0, 0)):
        table.evaluate("(table, share) => { table.scrollTop = share * table.scrollHeight; }", share)
        page.wait_for_timeout(100)
        settled(page)
        first = page.locator(ROWS).first
        assert event_of(first) == rows(page)[0]
        assert least <= rows(page)[0] <= least + EVENTS * 0.02
    table.evaluate("(table) => { table.scrollTop = table.scrollHeight; }")
    expect(page.locator(f"{ROWS}:last-child")).to_have_attribute("aria-rowindex", f"{EVENTS + 1}", timeout=LATE_MS)
    settled(page)
    assert event_of(page.locator(ROWS).last) == EVENTS - 1


def test_the_wheel_moves_row_by_row_wherever_one_is(page: Any, table: Any) -> None:
    table.evaluate("(table) => { table.scrollTop = table.scrollHeight / 3; }")
    page.wait_for_timeout(100)
    settled(page)
    before = rows(page)[0]
    page.locator(".events-rows").hover()
    page.mouse.wheel(0, 26 * 7)
    expect(page.locator(ROWS).first).to_have_attribute("aria-rowindex", f"{before + 2 + 7}", timeout=LATE_MS)
    page.mouse.wheel(0, -26 * 9)
    expect(page.locator(ROWS).first).to_have_attribute("aria-rowindex", f"{before + 2 - 2}", timeout=LATE_MS)


def test_a_long_drag_asks_for_little_and_draws_little(page: Any, table: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "api/events?" in request.url else None)
    drawn = table.evaluate(
        """(table) => new Promise((resolve) => {
            let frame = 0;
            let most = 0;
            const step = () => {
                table.scrollTop = (table.scrollHeight * frame) / 200;
                most = Math.max(most, table.querySelectorAll('[role=row]').length);
                frame += 1;
                if (frame <= 200) requestAnimationFrame(step);
                else resolve(most);
            };
            step();
        })"""
    )
    expect(page.locator(f"{ROWS}:last-child")).to_have_attribute("aria-rowindex", f"{EVENTS + 1}", timeout=LATE_MS)
    settled(page)
    assert event_of(page.locator(ROWS).last) == EVENTS - 1
    assert drawn < 100
    # Each frame was at other pages; what flew by was not asked for, or given up.
    assert len(asked) < 2 * 200
