"""The processes of a run beside each other, from which one of them is opened."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.chromium import watched_page
from tests.e2e.page.recorded import shared
from tests.e2e.page.test_accessibility import FOUND, axe
from tests.sample_run import make_sample_run


@pytest.fixture(scope="session")
def run_link(tmp_path_factory: pytest.TempPathFactory, serve: Callable[..., str]) -> str:
    """The page of a run of two workers."""
    return serve(shared(tmp_path_factory, "sample-run", make_sample_run))


def test_a_process_is_opened_from_the_matrix(page: Any, run_link: str) -> None:
    page.goto(run_link)
    page.get_by_role("button", name="Processes").wait_for()
    page.keyboard.press("w")
    panel = page.get_by_role("region", name="Processes")
    expect(panel).to_contain_text("2 processes, steps 0 to 2")
    assert panel.locator(".map-names button").all_inner_texts() == ["worker 0", "worker 1"]
    cells = panel.get_by_role("slider", name=re.compile("Whether each process was well"))
    cells.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    expect(cells).to_have_attribute(
        "aria-valuetext", re.compile("^worker 1, step 2: 1 of 4 tensors not finite; values ")
    )
    panel.get_by_role("button", name="Values").click()
    panel.get_by_role("heading", name=re.compile("against the median of all")).wait_for()
    panel.locator(".map-cells canvas").hover(position={"x": 5, "y": 30})
    expect(panel.locator(".map-said")).to_contain_text("worker 1, step 0: 4 tensors, all finite; values")
    width = panel.locator(".map-cells canvas").bounding_box()["width"]
    panel.locator(".map-cells canvas").click(position={"x": width - 5, "y": 30})
    page.locator(".event-title", has_text="Log:0").wait_for()
    assert "process=worker+1" in page.url
    assert "event=9" in page.url
    page.go_back()
    panel.wait_for()


def test_a_run_of_one_process_has_no_matrix(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".event-title").wait_for()
    expect(page.get_by_role("button", name="Overview")).to_be_visible()
    expect(page.get_by_role("button", name="Processes")).to_have_count(0)
    page.keyboard.press("w")
    assert "view=" not in page.url


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(browser: Any, problems: list[str], run_link: str, theme: str) -> None:
    with watched_page(browser, problems, color_scheme=theme, bypass_csp=True) as page:
        page.goto(f"{run_link}#view=processes")
        page.locator(".map-names button").first.wait_for()
        page.evaluate(axe())
        assert page.evaluate(FOUND) == []
    assert problems == []
