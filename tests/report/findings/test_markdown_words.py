"""What Markdown makes of the texts is read off a CommonMark parser, not off their form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tensordbg.report.findings.markdown_words import code, code_block, prose, table

READER = MarkdownIt("commonmark").enable("table")

PIECES = [*"`*_[]()<>!|\\#@&~$-+.: \nab1", "</script>", "http://x.y", "&lt;", "\u2028"]
NASTY = st.lists(st.sampled_from(PIECES)).map("".join)


def inline(text: str) -> list[Token]:
    """The inline tokens of a text that is one paragraph."""
    tokens = READER.parse(text)
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"], text
    return tokens[1].children or []


@given(NASTY)
def test_code_shows_what_it_was_given(text: str) -> None:
    made = code(text)
    if not text.strip():
        assert made == ""
        return
    (token,) = inline(made)
    assert token.type == "code_inline"
    assert token.content == text.replace("\n", " ").replace("\u2028", " ")


@given(NASTY)
def test_prose_is_text_and_code_alone(text: str) -> None:
    tokens = inline(f"Said: {prose(text)}.")
    assert {token.type for token in tokens} <= {"text", "text_special", "code_inline"}


@given(NASTY.filter(lambda text: "`" not in text))
def test_prose_shows_what_it_was_given(text: str) -> None:
    shown = "".join(token.content for token in inline(f"Said: {prose(text)}."))
    assert shown.replace("\u200b", "") == f"Said: {' '.join(text.split())}."


def test_prose_keeps_code_in_backticks() -> None:
    tokens = inline(prose("use `tf.where(a<b)` here"))
    assert [token.content for token in tokens if token.type == "code_inline"] == ["tf.where(a<b)"]


@pytest.mark.parametrize("text", ["@somebody", "see #12", "GH-12", "http://evil.example", "www.evil.example", "$x$"])
def test_trackers_find_nothing_in_prose(text: str) -> None:
    assert text not in prose(text)


@given(NASTY)
def test_a_block_ends_where_it_should(text: str) -> None:
    tokens = READER.parse(code_block(text, "text") + "\n\nafter")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]


@given(NASTY, NASTY)
def test_a_table_has_the_cells_that_it_was_given(name: str, said: str) -> None:
    tokens = READER.parse(table([["a", "b"], [code(name), prose(said)]]))
    cells = [token for token in tokens if token.type == "inline"]
    assert len(cells) == 4
    assert [token.type for token in cells[2].children or []] == (["code_inline"] if name.strip() else [])
    assert {token.type for token in cells[3].children or []} <= {"text", "text_special", "code_inline"}
