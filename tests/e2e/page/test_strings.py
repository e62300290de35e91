"""Tensors of strings in a real browser: how many, the shortest and the longest, and the elements."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.page.recorded import record, shared

PROGRAM = """\
import tensorflow as tf

@tf.function
def clean(texts):
    lower = tf.strings.lower(texts)
    words = tf.strings.regex_replace(lower, "[^a-z ]", "")
    return words

clean(tf.constant([["Hello, World!", ""], ["no news", "is good news"]]))
clean(tf.constant([["<b>bold</b>", "a\\"b"], ["c\\\\d", "line\\nend"]]))
"""


def record_strings(folder: Path) -> None:
    program = folder.parent / "strings.py"
    program.write_text(PROGRAM)
    record(folder, "--detail", "values", str(program))


@pytest.fixture
def words(page: Any, tmp_path_factory: pytest.TempPathFactory, serve: Any) -> Any:
    """The page at the first result of `clean`."""
    page.goto(f"{serve(shared(tmp_path_factory, 'strings', record_strings))}#search=name:StaticRegexReplace")
    page.locator("[role=row]", has_text="StaticRegexReplace:0").first.click()
    page.locator(".event-title", has_text="StaticRegexReplace:0").wait_for()
    return page


def test_an_event_tells_lengths_instead_of_numbers(words: Any) -> None:
    event = words.get_by_role("region", name="Event", exact=True)
    for name, number in (("shortest", "0"), ("longest", "12"), ("mean", "7.5")):
        expect(event.locator("dt", has_text=name).locator("xpath=following-sibling::dd[1]")).to_have_text(number)
    expect(event).to_contain_text("string")
    expect(event).to_contain_text("1 empty")
    assert "1 zero" not in event.inner_text()


def test_the_elements_are_shown_as_they_are(words: Any) -> None:
    words.get_by_role("tab", name="Values").click()
    panel = words.get_by_role("tabpanel")
    for text in ("hello world", "no news", "is good news"):
        panel.get_by_text(text).first.wait_for()
    words.goto(f"{words.url.partition('#')[0]}#search=name:texts&tab=values")
    words.locator("[role=row]", has_text="texts:0").last.click()
    panel.get_by_text("<b>bold</b>").first.wait_for()


def test_the_history_is_that_of_lengths(words: Any) -> None:
    words.get_by_role("tab", name="History").click()
    history = words.get_by_role("region", name="History", exact=True)
    history.get_by_text("As a table").click()
    expect(history.locator("tr", has_text="step 0").first).to_contain_text("12")
