"""Queries in SQL on the page: answers as a table and a drawing, and nothing but reading."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.chromium import watched_page
from tests.e2e.page.test_accessibility import FOUND, axe


@pytest.fixture
def opened(page: Any, digits_link: str) -> Any:
    """The page, ready for a query."""
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    page.keyboard.press("q")
    page.get_by_role("textbox", name="Query in SQL").wait_for()
    return page


def ask(page: Any, query: str) -> None:
    page.get_by_role("textbox", name="Query in SQL").fill(query)
    page.keyboard.press("Control+Enter")


def test_an_answer_is_a_table_and_its_events_lead_to_them(opened: Any) -> None:
    ask(
        opened, "select event, tensor, neg_inf from events where op_type = 'Log' and neg_inf > 0 order by event limit 1"
    )
    expect(opened.locator(".panel-sql .panel-head")).to_contain_text("1 row")
    table = opened.get_by_role("region", name="Answer")
    expect(table.get_by_role("columnheader")).to_have_text(["event", "tensor", "neg_inf"])
    expect(table.get_by_role("cell").nth(1)).to_have_text("Log:0")
    table.get_by_role("link").click()
    opened.locator(".event-title", has_text="Log:0").wait_for()
    expect(opened.locator(".panel-sql")).to_have_count(0)


def test_numbers_that_are_not_finite_are_told_as_everywhere_and_apart_from_null(opened: Any) -> None:
    ask(opened, "select 'NaN'::double a, '-inf'::double b, 'inf'::double c, null d, 'nan' e, 'NULL' f")
    table = opened.get_by_role("region", name="Answer")
    expect(table.get_by_role("cell")).to_have_text(["NaN", "-∞", "∞", "NULL", "nan", "NULL"])
    expect(table.locator("td .muted")).to_have_count(1)


def test_numbers_over_steps_are_drawn_and_the_link_holds_the_query(opened: Any) -> None:
    ask(opened, "select step, max(max) as largest from events where name = 'Log' group by step order by step")
    expect(opened.get_by_role("figure", name="largest over step").locator("polyline")).to_have_count(1)
    link = opened.url
    opened.goto("about:blank")
    opened.goto(link)
    opened.get_by_role("figure", name="largest over step").wait_for()


@pytest.mark.parametrize("example", ["Operations by number", "Time of each function", "Bad tensors by line"])
def test_examples_have_answers_with_drawings(opened: Any, example: str) -> None:
    opened.get_by_role("button", name=example).click()
    opened.locator(".sql-table tbody tr").first.wait_for()
    opened.locator(".sql-chart").wait_for()


def test_what_is_wrong_is_said_and_nothing_is_written(opened: Any, problems: list[str], tmp_path: Path) -> None:
    ask(opened, f"copy (select 1) to '{tmp_path / 'stolen'}'")
    expect(opened.locator(".panel-sql [role=alert]")).to_have_text(re.compile("is not one SELECT"))
    ask(opened, "select * from read_text('/etc/hostname')")
    expect(opened.locator(".panel-sql [role=alert]")).to_have_text(re.compile("no answer to the query"))
    assert not list(tmp_path.iterdir())
    problems.clear()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_there_nor_in_the_palette(
    browser: Any, problems: list[str], digits_link: str, theme: str
) -> None:
    with watched_page(browser, problems, color_scheme=theme, bypass_csp=True) as page:
        page.goto(digits_link + "#view=sql")
        page.get_by_role("button", name="Operations by number").click()
        page.locator(".sql-chart").wait_for()
        page.evaluate(axe())
        assert page.evaluate(FOUND) == []
        page.keyboard.press("Control+k")
        page.locator(".palette-option").first.wait_for()
        assert page.evaluate(FOUND) == []
    assert problems == []
