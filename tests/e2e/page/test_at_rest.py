"""A page on which nothing happens asks for nothing."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect


@pytest.mark.parametrize("place", ["", "#finding=0&event=294&execution=31", "#event=0&tab=tensor"])
def test_an_idle_page_asks_at_most_once_in_ten_seconds(page: Any, digits_link: str, place: str) -> None:
    page.goto(f"{digits_link}{place}")
    page.locator(".event-title, .history").first.wait_for()
    page.locator(".timeline-extent").wait_for()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(10_000)
    assert len(asked) <= 1, asked
