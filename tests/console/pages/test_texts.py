from __future__ import annotations

import pytest

from tensordbg.console.language.words import split_words
from tensordbg.console.pages.page import Span, plain
from tensordbg.console.pages.texts import byte_size, milliseconds, place_span, source_command, table_lines, word
from tensordbg.model import Frame


@pytest.mark.parametrize("text", ["Log:0", "a b", "it's", "-x", "> 3", "a;b", "#1", 'say "x"', "x[0]", "max > 'a'"])
def test_a_word_is_read_as_it_was(text: str) -> None:
    assert [each.text for each in split_words(f"pt {word(text)} -s")] == ["pt", text, "-s"]


def test_columns_are_as_wide_as_they_need_to_be() -> None:
    lines = table_lines(("name", "n"), [[Span("a"), Span("10")], [Span("longer"), Span("5")]], right=(1,))
    assert [plain(line) for line in lines.all_lines] == ["name     n", "a       10", "longer   5"]
    assert table_lines((), []).all_lines == ()


@pytest.mark.parametrize(
    ("dtype", "elements", "size"),
    [("float32", 3, 12), ("bfloat16", 3, 6), ("float8_e4m3fn", 3, 3), ("resource", 1, None), ("bool", None, None)],
)
def test_bytes_of_a_tensor(dtype: str, elements: int | None, size: int | None) -> None:
    assert byte_size(dtype, elements) == size


def test_places_lead_to_the_source() -> None:
    span = place_span(Frame("/a b/train.py", 9, "step", user=True))
    assert (span.text, span.command) == ("train.py:9", 'ps "/a b/train.py" -b 6')
    assert place_span(None) == Span("")
    assert source_command("x.py", 1) == "ps x.py -b 1"
    assert milliseconds(1_234_567) == "1.235"
