"""A comparison in a notebook: two columns and a drawing."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from tensordbg.analysis.diff.result import Comparison, ParameterPair
from tensordbg.report.diff_html import diff_html
from tests.report.test_error_chart import ERRORS, FIRST, FOUND


def test_two_columns_the_sentences_and_a_bar_for_each_value() -> None:
    page = ET.fromstring(diff_html(FOUND))
    assert [cell.text or "" for cell in page.findall("table/thead/tr/th")] == ["", "A, the reference", "B"]
    assert ["tensor", "a:0", "b:0"] in [[cell.text for cell in row] for row in page.findall("table/tbody/tr")]
    assert len(page.findall("svg/rect")) == 4
    assert "made there" in str(page.findall("svg/rect")[2].findtext("title"))
    assert any("fix        fix" in (each.text or "") for each in page.findall("p"))


def test_names_are_no_markup() -> None:
    errors = (replace(ERRORS[0], a="<b>"),)
    pairs = (ParameterPair("<script>", "", "only_a", None),)
    page = diff_html(replace(FOUND, first=replace(FIRST, explanation="<i>"), errors=errors, parameters=pairs))
    assert not {"<b>:", "<script>", "<i>"} & set(page.split())
    assert ET.fromstring(page).findtext("table[2]/tbody/tr/td") == "<script>"


def test_equal_runs_have_a_sentence_and_their_errors() -> None:
    page = ET.fromstring(diff_html(Comparison("same", 5, 0, 0, 1e-6, errors=ERRORS[:3])))
    assert (page.findtext("p/b") or "").startswith("The same: 5 values")
    assert len(page.findall("svg/rect")) == 3
