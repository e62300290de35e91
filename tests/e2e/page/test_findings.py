"""From what went wrong to why: the findings, and where choosing one leads."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect


def test_a_run_that_went_wrong_is_opened_at_the_cause(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    chosen = page.locator(".finding-head[aria-current=true]")
    chosen.wait_for()
    assert "Log made 1 × -inf" in chosen.inner_text()
    assert "digits_nan.py:53" in chosen.inner_text()
    details = page.locator(".finding-details")
    assert "log_of_zero" in details.inner_text()
    assert "Spread to 2,9" in details.inner_text()
    # The title is that of the view, which comes a moment later.
    page.wait_for_function("document.title.startsWith('Log made 1 × -inf – digits_nan')")


def test_from_the_finding_to_the_input_that_holds_the_zero_to_the_source_line(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".finding-details").get_by_role("link", name="probs:0").click()
    event = page.get_by_role("region", name="Event", exact=True)
    event.get_by_role("heading", name="probs:0").wait_for()
    assert re.search(r"\b1 zero", event.inner_text())
    page.locator(".cm-line.code-chosen").get_by_text("probs = tf.nn.softmax(logits").wait_for()
    # It is in the table too, chosen.
    page.locator("[role=row][aria-selected=true]").get_by_text("probs:0").wait_for()


def test_a_trouble_is_shown_once_with_its_gradient(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    page.locator(".finding").first.wait_for()
    assert page.locator(".finding-title").all_inner_texts() == ["✕ Log made 1 × -inf"]


def test_each_trouble_is_shown_once_and_others_below(page: Any, two_troubles_link: str) -> None:
    page.goto(two_troubles_link)
    page.locator(".finding").first.wait_for()
    titles = page.locator(".finding-title").all_inner_texts()
    assert titles == ["✕ Log made 1 × -inf", "✕ Sqrt made 1 × NaN"]


def test_the_error_that_ended_the_program_stands_first(page: Any, failed_link: str) -> None:
    page.goto(failed_link)
    chosen = page.locator(".finding-head[aria-current=true]")
    chosen.wait_for()
    assert page.locator(".finding-head").first.inner_text() == chosen.inner_text()
    assert re.search(r"InvalidArgumentError in \S*SparseSoftmaxCrossEntropyWithLogits\n", chosen.inner_text())
    assert "failed.py:5" in chosen.inner_text()
    details = page.locator(".finding-details")
    headline = page.get_by_role("region", name="The chosen finding")
    assert "label value of 7" in headline.inner_text().lower()
    assert page.locator("body").inner_text().lower().count("label value of 7") == 1
    expect(page.locator(".bar-status")).to_have_text("✕ InvalidArgumentError")
    labels = details.locator(".input-line", has_text="labels:0")
    assert "int32[4]" in labels.inner_text()
    assert "1 zero" in labels.inner_text()
    expect(labels.locator(".input-elements")).to_have_text("[0, 1, 7, 2]")
    expect(details.get_by_role("heading", name="It was given")).to_be_visible()
    assert "float32[4, 3]" in details.locator(".input-line", has_text="logits").inner_text().replace("×", ", ")
    headline.get_by_role("link", name="sparse_softmax_cross_entropy_with_logits").click()
    page.locator(".cm-line.code-chosen").get_by_text(
        "sparse_softmax_cross_entropy_with_logits(labels, logits)"
    ).wait_for()
    began = details.locator(".finding-beginning")
    assert "7 among its numbers" in began.inner_text()
    began.get_by_role("link").click()
    page.locator(".cm-line.code-chosen").get_by_text("tf.constant([0, 1, 7, 2])").wait_for()


def test_findings_are_filtered_by_words_and_by_level(page: Any, two_troubles_link: str) -> None:
    page.goto(two_troubles_link)
    filter_field = page.get_by_label("Filter the findings")
    filter_field.fill("sqrt")
    expect(page.locator(".finding")).to_have_count(1)
    assert "filter=sqrt" in page.url
    filter_field.fill("nothing like this")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator(".finding")).to_have_count(2)


def test_consumers_lead_on(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    event = page.get_by_role("region", name="Event", exact=True)
    event.get_by_role("heading", name="Log:0").wait_for()
    event.locator(".neighbours", has_text="Consumers").get_by_role("link").first.click()
    event.get_by_role("heading", name="mul:0").wait_for()


def test_an_operation_that_has_the_name_of_its_type_is_named_once(page: Any, digits_link: str) -> None:
    page.goto(digits_link)
    facts = page.get_by_role("region", name="Facts")
    operation = facts.locator(".event-fact", has_text="Operation").locator("dd")
    expect(operation).to_have_text("Log")
    page.locator(".finding-details").get_by_role("link", name="probs:0").click()
    expect(operation).to_have_text("Softmax probs")


def test_what_a_nan_decided_is_told_with_its_line(page: Any, decided_link: str) -> None:
    page.goto(decided_link)
    decided = page.locator(".finding-decided")
    decided.first.wait_for()
    assert decided.all_inner_texts() == [
        "which branch ran, if y > 0.0: (decided.py:6) in step 0: Greater:0 was given a NaN, and the else branch ran"
    ]
    decided.get_by_role("link").click()
    page.locator(".cm-line.code-chosen").get_by_text("if y > 0.0:").wait_for()
