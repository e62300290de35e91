"""The source as the program ran it, with what its lines made, and the stack that led there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect


@pytest.fixture
def source(page: Any, digits_link: str) -> Any:
    """The source panel, once the run is opened at its first finding."""
    page.goto(digits_link)
    panel = page.get_by_role("region", name="Source")
    panel.locator(".cm-line.code-chosen").get_by_text("tf.math.log(probs)").wait_for()
    return panel


def test_the_chosen_line_is_marked_and_in_view(source: Any) -> None:
    line = source.locator(".cm-line.code-chosen")
    assert line.count() == 1
    box, room = line.bounding_box(), source.locator(".code").bounding_box()
    assert room["y"] <= box["y"] <= room["y"] + room["height"] - box["height"]


def test_the_margin_leads_to_the_operation_made_at_a_line(page: Any, source: Any) -> None:
    source.locator(".margin-mark", has_text="Softmax").click()
    page.get_by_role("region", name="Event", exact=True).get_by_role("heading", name="probs:0").wait_for()
    made = source.get_by_role("region", name="Made at line 52")
    assert "Softmax" in made.inner_text()
    source.get_by_role("button", name="Next line with operations").click()
    source.get_by_role("region", name="Made at line 53").get_by_role("link", name="Sum").click()
    page.get_by_role("region", name="Event", exact=True).get_by_role("heading", name="Sum:0").wait_for()


def test_the_stack_shows_the_users_frames_and_unfolds_those_of_libraries(page: Any, source: Any) -> None:
    stack = source.get_by_role("navigation", name="Stack")
    own = [line.split()[0] for line in stack.locator(".frame").all_inner_texts()]
    assert own == ["unstable_loss", "train_step", "main", "<module>"]
    stack.get_by_role("button", name="library frames").click()
    assert stack.locator(".frame").count() > 10
    stack.locator(".frame", has_text="train_step").first.click()
    source.locator(".cm-line.code-chosen").get_by_text("network.logits(images)").wait_for()


def test_a_frame_of_a_library_opens_its_file(page: Any, source: Any) -> None:
    stack = source.get_by_role("navigation", name="Stack")
    stack.get_by_role("button", name="library frames").click()
    stack.locator(".library .frame", has_text="autograph_util.py").first.click()
    source.locator(".cm-line.code-chosen").get_by_text("converted_call").wait_for()
    assert "autograph_util.py" in page.url


def test_the_files_are_listed_with_the_programs_own_first(page: Any, source: Any) -> None:
    files = source.get_by_label("File", exact=True)
    assert "digits_nan.py" in files.locator("option").first.inner_text()
    other = files.locator("option", has_text="func_graph.py").get_attribute("value")
    files.select_option(value=other)
    source.locator(".cm-line", has_text="Copyright").first.wait_for()


def test_a_file_stays_while_one_goes_from_event_to_event(page: Any, source: Any) -> None:
    stack = source.get_by_role("navigation", name="Stack")
    stack.get_by_role("button", name="library frames").click()
    stack.locator(".library .frame", has_text="autograph_util.py").first.click()
    source.get_by_role("button", name="Pin").click()
    page.locator(".finding-details").get_by_role("link", name="probs:0").click()
    page.get_by_role("region", name="Event", exact=True).get_by_role("heading", name="probs:0").wait_for()
    source.locator(".cm-line.code-chosen").get_by_text("converted_call").wait_for()
    source.get_by_role("button", name="Pin").click()
    source.locator(".cm-line.code-chosen").get_by_text("tf.nn.softmax").wait_for()


def test_a_line_opens_in_the_editor(page: Any, digits: Path, serve: Callable[..., str]) -> None:
    page.goto(serve(digits, "--editor", "vscode://file/{file}:{line}"))
    link = page.get_by_role("link", name="Open in editor")
    expect(link).to_have_attribute("href", re.compile(r"^vscode://file//.*/digits_nan\.py:53$"))


def test_text_in_the_code_is_found(page: Any, source: Any) -> None:
    source.locator(".cm-content").focus()
    page.keyboard.press("Control+f")
    source.locator(".cm-search input").first.fill("stable_quantity_that_is_nowhere")
    source.locator(".cm-search input").first.fill("def stable_loss")
    page.keyboard.press("Enter")
    source.locator(".cm-searchMatch").first.wait_for()
