"""The history of a tensor, and its elements as a table and as a heat map."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.recorded import record
from tests.sample_trace import make_sample_trace

DRAWN = "(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((part) => part)"


@pytest.fixture
def log(page: Any, digits_link: str) -> Any:
    """The page at the logarithm of zero."""
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    return page


def test_the_history_is_drawn_and_told(log: Any) -> None:
    log.get_by_role("tab", name="History").click()
    history = log.get_by_role("region", name="History", exact=True)
    history.get_by_text(re.compile(r"Computed \d+ times\. Not finite \d+ times, first in step 3\.")).wait_for()
    canvases = history.locator(".chart canvas")
    expect(canvases).to_have_count(4)
    history.get_by_text("Histogram, the darker the more elements; of 60 events with elements kept").wait_for()
    for canvas in canvases.all():
        assert canvas.evaluate(DRAWN)
    history.get_by_text("As a table").click()
    bad = history.locator("tr", has_text="step 3").first
    assert "-inf" in bad.inner_text()


def test_the_keyboard_walks_along_the_history(log: Any) -> None:
    log.get_by_role("tab", name="History").click()
    charts = log.get_by_role("slider", name=re.compile("History of Log:0"))
    charts.focus()
    log.keyboard.press("Home")
    expect(charts).to_have_attribute("aria-valuetext", re.compile("^step 0: min .*; half of them between -"))
    log.keyboard.press("ArrowRight")
    expect(charts).to_have_attribute("aria-valuetext", re.compile("^step 1: "))
    before = log.url
    log.keyboard.press("Enter")
    log.wait_for_url(lambda url: url != before)
    expect(log.locator("[role=row][aria-selected=true]")).to_contain_text("Log:0")


def test_a_click_on_a_chart_chooses_an_event(log: Any) -> None:
    log.get_by_role("tab", name="History").click()
    chart = log.locator(".chart .u-over").first
    before = log.url
    box = chart.bounding_box()
    chart.click(position={"x": box["width"] - 5, "y": box["height"] / 2})
    log.wait_for_url(lambda url: url != before)


def test_the_first_bad_element_is_chosen_from_the_start(log: Any) -> None:
    log.get_by_role("tab", name="Values").click()
    values = log.get_by_role("region", name="Values", exact=True)
    expect(values.locator(".values-chosen")).to_contain_text("is -inf")
    expect(values.locator(".value-chosen")).to_have_text("-inf")
    assert values.get_by_role("img", name=re.compile("Heat map")).evaluate(DRAWN)


def test_heat_map_and_table_choose_the_same_element(log: Any) -> None:
    log.get_by_role("tab", name="Values").click()
    values = log.get_by_role("region", name="Values", exact=True)
    values.get_by_role("img", name=re.compile("Heat map")).click(position={"x": 1, "y": 0})
    expect(values.locator(".values-chosen")).to_contain_text("[0, 0]")
    values.get_by_role("grid").focus()
    log.keyboard.press("ArrowRight")
    log.keyboard.press("ArrowDown")
    expect(values.locator(".values-chosen")).to_contain_text("[1, 1]")
    log.keyboard.press("Control+End")
    expect(values.locator(".values-chosen")).to_contain_text("[99, 9]")
    expect(values.locator(".value-chosen")).to_be_in_viewport()


def test_a_slice_is_shown_and_kept_in_the_link(log: Any, problems: list[str]) -> None:
    log.get_by_role("tab", name="Values").click()
    field = log.get_by_label("Slice")
    expect(field).to_have_value("[:, :]")
    field.fill("[3, ::2]")
    field.press("Enter")
    values = log.get_by_role("region", name="Values", exact=True)
    expect(values.get_by_role("grid")).to_have_attribute("aria-colcount", "6")
    assert "slice=" in log.url
    values.locator("[role=gridcell]").nth(2).click()
    expect(values.locator(".values-chosen")).to_contain_text("[3, 4]")
    field.fill("[3, 4, 5]")
    field.press("Enter")
    log.locator("#slice-problem").wait_for()
    expect(values.get_by_role("grid")).to_have_attribute("aria-colcount", "6")
    assert problems and all("400" in problem for problem in problems)
    problems.clear()


def test_elements_that_were_not_kept_are_told_with_how_to_keep_them(
    page: Any, serve: Callable[..., str], tmp_path: Path
) -> None:
    make_sample_trace(tmp_path / "sample")
    page.goto(f"{serve(tmp_path)}#event=1&tab=values")
    told = page.get_by_role("region", name="Values", exact=True)
    expect(told).to_contain_text("were not kept")
    expect(told).to_contain_text("--detail values")


def test_the_cursors_of_all_charts_stand_below_one_another(log: Any) -> None:
    log.get_by_role("tab", name="History").click()
    expect(log.locator(".chart .u-over")).to_have_count(4)
    boxes = [each.bounding_box() for each in log.locator(".chart .u-over").all()]
    assert len({(box["x"], box["width"]) for box in boxes}) == 1


VALIDATED = """\
import tensorflow as tf

weight = tf.Variable(2.0)

@tf.function
def forward(x):
    return tf.square(x * weight, name="squares")

@tf.function
def train(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(forward(x))
    weight.assign_sub(0.01 * tape.gradient(loss, weight))

@tf.function
def evaluate(x):
    return tf.reduce_mean(forward(x))

for epoch in range(3):
    for _ in range(6):
        train(tf.constant([1.0, 2.0]))
    evaluate(tf.constant([50.0, 60.0]))
"""


def test_without_kept_elements_there_is_no_histogram(page: Any, serve: Callable[..., str], tmp_path: Path) -> None:
    make_sample_trace(tmp_path / "sample")
    page.goto(f"{serve(tmp_path)}#event=1&tab=tensor")
    page.get_by_text("Shares of negative, zero, positive and not finite").wait_for()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    expect(page.locator(".chart canvas")).to_have_count(3)


def test_training_and_validation_are_lines_of_their_own(page: Any, serve: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / "validated.py").write_text(VALIDATED)
    record(tmp_path / "traces", str(tmp_path / "validated.py"))
    page.goto(f"{serve(tmp_path / 'traces')}#search=op:Square&tab=tensor")
    page.locator(".events-rows [role=row]:not([aria-busy])").first.click()
    lines = page.get_by_role("list", name="Lines of the charts")
    lines.wait_for()
    assert lines.get_by_role("button").all_inner_texts() == ["train", "evaluate"]
    page.get_by_text("As a table").click()
    charts = page.get_by_role("slider", name=re.compile("History of"))
    charts.focus()
    page.keyboard.press("Home")
    expect(charts).to_have_attribute("aria-valuetext", re.compile("^train, step 0: min "))
    lines.get_by_role("button", name="train").click()
    expect(lines.get_by_role("button", name="train")).to_have_attribute("aria-pressed", "false")
