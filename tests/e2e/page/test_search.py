"""The search field of the page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from playwright.sync_api import expect

import tensordbg
from tensordbg.analysis.query import sql
from tensordbg.trace.reader import open_trace

ROWS = ".events-rows [role=row]:not([aria-busy])"


@pytest.fixture(scope="module")
def count(digits: Path) -> Callable[[str], int]:
    """How many events fit a condition of SQL."""
    (trace,) = digits.iterdir()
    reader = open_trace(trace)
    return lambda condition: sql(reader, f"SELECT count(*) AS n FROM events WHERE {condition}").to_pylist()[0]["n"]


@pytest.fixture
def field(page: Any, digits_link: str) -> Any:
    """The search field of a page that shows all events."""
    page.goto(f"{digits_link}#event=0")
    page.locator(ROWS).first.wait_for()
    return page.get_by_role("combobox", name="Search the tensor events")


def test_what_is_typed_is_found(page: Any, field: Any, count: Callable[[str], int]) -> None:
    field.fill("op:Log step:3.. nonfinite")
    wanted = count("op_type = 'Log' AND step >= 3 AND nan + neg_inf + pos_inf > 0")
    assert wanted > 0
    expect(page.locator(".found")).to_contain_text(f"{wanted:,} of {count('true'):,} events")
    expect(page.locator("#events")).to_have_attribute("aria-rowcount", str(wanted + 1))
    page.locator(ROWS).first.wait_for()
    for word in ("Log", "not finite"):
        expect(page.locator(ROWS).filter(has_not_text=word)).to_have_count(0)


def test_words_are_suggested(page: Any, field: Any) -> None:
    field.press_sequentially("op:Lo")
    words = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    words.filter(has_text="Log").first.wait_for()
    assert field.get_attribute("aria-expanded") == "true"
    field.press("ArrowDown")
    chosen = page.locator(".search-word[aria-selected=true]")
    assert field.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    word = chosen.inner_text()
    field.press("Enter")
    assert field.input_value().strip().endswith(word)
    assert field.input_value().startswith("op:")


def test_all_suggestions_can_be_seen_on_a_small_screen(page: Any, field: Any) -> None:
    field.fill("op:")
    listed = page.get_by_role("listbox", name="Suggestions")
    words = listed.get_by_role("option")
    words.nth(10).wait_for()
    box, panel = listed.bounding_box(), page.locator(".panel-events").bounding_box()
    assert box["y"] + box["height"] <= panel["y"] + panel["height"]
    for _ in range(words.count()):
        field.press("ArrowDown")
    last = words.last
    expect(last).to_have_attribute("aria-selected", "true")
    seen = last.bounding_box()
    assert box["y"] <= seen["y"] <= box["y"] + box["height"] - seen["height"]


def test_a_mistake_is_told_and_the_table_stays(page: Any, field: Any, problems: list[str]) -> None:
    field.fill("step:three")
    field.press("Enter")
    told = page.locator("#search-problem")
    told.wait_for()
    assert "three" in told.inner_text()
    assert field.get_attribute("aria-invalid") == "true"
    assert page.locator(ROWS).count() > 0
    field.fill("step:3")
    expect(told).to_have_count(0)
    assert problems and all("400" in problem for problem in problems)
    problems.clear()


def test_nothing_found_is_told_with_a_way_back(page: Any, field: Any) -> None:
    field.fill("name:there_is_no_such_tensor")
    page.get_by_text("Nothing fits this search.").wait_for()
    page.get_by_role("button", name="Show all events").click()
    page.locator(ROWS).first.wait_for()
    assert field.input_value() == ""
    assert "search=" not in page.url


def test_back_undoes_a_search(page: Any, field: Any) -> None:
    field.fill("op:MatMul")
    page.wait_for_url("**search=op%3AMatMul*")
    page.go_back()
    expect(field).to_have_value("")


def test_a_search_shows_the_beginning_of_what_it_found(page: Any, field: Any) -> None:
    page.locator("#events").focus()
    page.keyboard.press("End")
    expect(page.locator(f"{ROWS}[aria-rowindex='2']")).to_have_count(0)
    field.fill("op:MatMul")
    page.wait_for_url("**search=op%3AMatMul*")
    expect(page.locator(f"{ROWS}[aria-rowindex='2']")).to_be_in_viewport()
    expect(page.locator(".found-notice")).to_have_count(0)


def test_a_word_that_is_still_typed_is_no_mistake(page: Any, field: Any) -> None:
    field.press_sequentially("op:")
    page.get_by_role("listbox", name="Suggestions").get_by_role("option", name="MatMul").wait_for()
    page.wait_for_timeout(1000)
    expect(page.locator("#search-problem")).to_have_count(0)
    assert field.get_attribute("aria-invalid") == "false"
    field.press_sequentially("MatMul")
    page.wait_for_url("**search=op%3AMatMul*")


def test_a_name_of_the_text_is_found(page: Any, serve: Callable[..., str], tmp_path: Path) -> None:
    @tf.function
    def run(n: Any) -> Any:
        rows = tf.TensorArray(tf.int32, size=n)
        for i in tf.range(n):
            total = 0
            for j in tf.range(i + 1):
                total += j
            rows = rows.write(i, total)
        return rows.stack()

    with tensordbg.record(tmp_path / "trace") as recording:
        run(tf.constant(3))
    page.goto(f"{serve(recording.path)}#event=0")
    page.get_by_role("combobox", name="Search the tensor events").fill("rows")
    expect(page.locator(".found")).to_contain_text("3 of ")
    expect(page.locator("#events")).to_have_attribute("aria-rowcount", "4")
