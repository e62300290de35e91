from __future__ import annotations

import pytest

from tensordbg.analysis.view.search.bounds import Bounds
from tensordbg.analysis.view.search.language import Term, Text, Token, parse_search, tokens
from tensordbg.analysis.view.search.shape_pattern import ShapePattern
from tensordbg.errors import UsageError


def test_terms() -> None:
    assert parse_search('op:Log -step:3.. "a b" nonfinite  shape:[2, *] Log:0') == (
        Term("op", Text("Log")),
        Term("step", Bounds(low=3), negated=True),
        Term("word", Text("a b")),
        Term("nonfinite", None),
        Term("shape", ShapePattern(("2", "*"))),
        Term("name", Text("Log", 0)),
    )
    assert parse_search("   ") == ()


def test_flag_in_quotes_is_a_word() -> None:
    assert parse_search('"nan" -inf') == (Term("word", Text("nan")), Term("inf", None, negated=True))


def test_value_in_quotes_holds_blanks_and_colons() -> None:
    assert parse_search('name:"my op:1" "step:3"') == (Term("name", Text("my op", 1)), Term("word", Text("step:3")))


def test_a_tensor_that_is_called_like_a_key_is_found_by_its_name() -> None:
    assert parse_search('Mean:0 add:0 "stepp:3"') == (
        Term("name", Text("Mean", 0)),
        Term("name", Text("add", 0)),
        Term("word", Text("stepp:3")),
    )


def test_tokens_say_where_they_begin() -> None:
    assert list(tokens('a  -op:"x y" b')) == [Token("a", 0), Token('-op:"x y"', 3), Token("b", 13)]


@pytest.mark.parametrize(
    ("search", "said"),
    [
        ("x opp:Log", r"'opp' is no key of the search; did you mean 'op'\?.*\(at character 3 of the search\)"),
        ("zzz:Log", "'zzz' is no key of the search; the keys are op, name"),
        ("stepp:3", "'stepp' is no key of the search; did you mean 'step'?"),
        ("Step:3..", "'Step' is no key of the search; did you mean 'step'?"),
        ("op:", "'op' has no value; write one behind the colon, such as op:Log"),
        ("step:many", "'many' is no range for 'step'; write step:3, step:3.., step:..7 or step:>3"),
        ("step:1.5", "'1.5' is no range for 'step'"),
        ("min:low", "'low' is no range for 'min'; write min:<0"),
        ("step:9..3", "the range '9..3' of 'step' ends before it begins"),
        ("shape:[a]", r"'\[a\]' is no pattern of a shape"),
        ("nan:3", "'nan' is a word without a value; leave out what follows it"),
        ('name:"a', "the quote in .* has no end"),
        ('a "', "the quote in '\"' has no end"),
    ],
)
def test_mistakes_say_what_and_where(search: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_search(search)
