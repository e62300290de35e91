"""Habits from other tools: panels hidden and remembered, marks in the timeline, several tensors in one chart."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect


@pytest.fixture
def opened(page: Any, digits_link: str) -> Any:
    page.goto(digits_link)
    page.locator(".event-title", has_text="Log:0").wait_for()
    return page


def test_hidden_panels_are_remembered_and_come_back(opened: Any) -> None:
    opened.locator("summary", has_text="Panels").click()
    for name in ("Source", "Timeline"):
        opened.get_by_role("checkbox", name=name).click()
        expect(opened.get_by_role("region", name=name, exact=True)).to_have_count(0)
    opened.reload()
    opened.locator(".event-title", has_text="Log:0").wait_for()
    expect(opened.get_by_role("region", name="Tensor events", exact=True)).to_be_visible()
    expect(opened.get_by_role("region", name="Source", exact=True)).to_have_count(0)
    opened.keyboard.press("Control+k")
    opened.keyboard.type("show all panels")
    opened.keyboard.press("Enter")
    expect(opened.get_by_role("region", name="Source", exact=True)).to_be_visible()
    expect(opened.get_by_role("region", name="Timeline", exact=True)).to_be_visible()


def test_marks_in_the_timeline_tell_the_time_between_and_are_in_the_link(opened: Any) -> None:
    told = opened.get_by_role("list", name="Marked moments")
    opened.locator(".timeline-drawing").focus()
    opened.keyboard.press("m")
    expect(told.get_by_role("listitem")).to_have_count(1)
    first = opened.locator(".timeline-told").inner_text()
    opened.keyboard.press("ArrowRight")
    expect(opened.locator(".timeline-told")).not_to_have_text(first)
    opened.keyboard.press("m")
    expect(told.get_by_role("listitem")).to_have_count(2)
    assert re.search(r"\+\S+ (ms|µs|s)", told.inner_text())
    opened.reload()
    expect(told.get_by_role("listitem")).to_have_count(2)
    told.get_by_role("button", name="Take away").first.click()
    expect(told.get_by_role("listitem")).to_have_count(1)


def test_several_tensors_share_a_chart(opened: Any) -> None:
    opened.get_by_role("tab", name="History").click()
    opened.get_by_role("button", name="Keep").click()
    opened.get_by_role("tab", name="Event", exact=True).click()
    opened.locator(".panel-event .event-line", has_text="probs:0").first.click()
    opened.locator(".event-title", has_text="probs:0").wait_for()
    opened.get_by_role("tab", name="History").click()
    legend = opened.get_by_role("list", name="Lines of the charts")
    expect(legend.get_by_role("button")).to_have_text(["probs:0", "Log:0"])
    opened.get_by_role("button", name="Take Log:0 out").click()
    expect(legend.get_by_role("button")).to_have_count(0)


def test_a_drag_looks_closer_at_steps_and_a_choice_keeps_them(opened: Any) -> None:
    opened.get_by_role("tab", name="History").click()
    chart = opened.locator(".chart .u-over").first
    box = chart.bounding_box()
    everything = opened.get_by_role("button", name="All steps")
    expect(everything).to_have_count(0)
    opened.mouse.move(box["x"] + 20, box["y"] + 30)
    opened.mouse.down()
    opened.mouse.move(box["x"] + 100, box["y"] + 30, steps=5)
    opened.mouse.up()
    expect(everything).to_be_visible()
    opened.locator(".chart .u-over").first.click(position={"x": 60, "y": 30})
    expect(everything).to_be_visible()
    everything.click()
    expect(everything).to_have_count(0)


def test_the_layer_is_a_column_by_which_one_sorts(page: Any, scopes_link: str) -> None:
    page.goto(f"{scopes_link}#search=layer:net*&columns=event,tensor,layer&view=details")
    page.locator("[role=row]", has_text="net/dense").first.wait_for()
    page.get_by_role("columnheader", name="Layer").get_by_role("button").click()
    expect(page.get_by_role("columnheader", name="Layer")).to_have_attribute("aria-sort", "ascending")
    assert "order=layer" in page.url
