from __future__ import annotations

import pytest

from tensordbg.console.language.words import Typed, parse_line, split_commands, split_words
from tensordbg.errors import UsageError


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", ()),
        ("  lt   -f non_finite ", ("lt", "-f", "non_finite")),
        ("lt -f 'Log* : min < 0'", ("lt", "-f", "Log* : min < 0")),
        ("pt x:0[0, :, ...] -s", ("pt", "x:0[0, :, ...]", "-s")),
        ('pt "my tensor:0"[0, 1]', ("pt", "my tensor:0[0, 1]")),
        ("pt x -r [[-inf, -1], [1, inf]]", ("pt", "x", "-r", "[[-inf, -1], [1, inf]]")),
        (r"lt -n .*\d+/it's", ("lt", "-n", r".*\d+/it's")),
        ("lt -n [a-z", ("lt", "-n", "[a-z")),
        ("lt max:>1e3", ("lt", "max:>1e3")),
        ("lt -f max>=3", ("lt", "-f", "max>=3")),
    ],
)
def test_words_are_taken_apart(line: str, words: tuple[str, ...]) -> None:
    assert parse_line(line) == Typed(words)


@pytest.mark.parametrize("line", ["lt > a.txt", "lt >a.txt", 'lt > "a.txt"', 'lt >"a.txt"'])
def test_the_answer_goes_to_the_file_that_is_named_last(line: str) -> None:
    assert parse_line(line) == Typed(("lt",), "a.txt")


def test_in_quotes_the_sign_means_what_it_says() -> None:
    assert parse_line('ev "`x` > 3"') == Typed(("ev", "`x` > 3"))


@pytest.mark.parametrize("line", ["lt >", "lt > a b", "lt > a > b"])
def test_one_file_takes_the_answer(line: str) -> None:
    with pytest.raises(UsageError, match="takes one file to write the answer to"):
        parse_line(line)


def test_an_open_quote_is_refused() -> None:
    with pytest.raises(UsageError, match="has no end; put another behind the text"):
        parse_line("lt -f 'Log")


def test_words_know_where_they_begin() -> None:
    assert [(word.text, word.begin) for word in split_words("pt  'a b' c")] == [("pt", 0), ("a b", 4), ("c", 10)]


def test_a_script_has_its_commands_in_lines_or_behind_semicolons() -> None:
    script = "run -f non_finite; lt;\npt 'a;b' # the first\n\n# nothing\nlt -n a#b"
    assert split_commands(script) == ["run -f non_finite", "lt", "pt 'a;b'", "lt -n a#b"]
