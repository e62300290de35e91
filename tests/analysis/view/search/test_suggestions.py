from __future__ import annotations

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.analysis.view.search.matching import find_events
from tensordbg.analysis.view.search.suggestions import Completion, complete


@pytest.mark.parametrize(
    ("search", "begin", "words"),
    [
        ("op:M", 0, ("op:MatMul",)),
        ("x -op:sp", 3, ("op:Split",)),
        ("fun", 0, ("function:",)),
        ("step:", 0, ()),
        ("device:", 0, ("device:CPU:0", "device:GPU:0")),
        ("dtype:", 0, ("dtype:float32", "dtype:float64")),
        ("file:o", 0, ('file:"other train.py"', "file:model.py")),
        ("layer:", 0, ("layer:model/dense",)),
        ("nonfinite op:Ex", 10, ("op:Exp",)),
    ],
)
def test_words_at_the_end(varied: OpenedTrace, search: str, begin: int, words: tuple[str, ...]) -> None:
    assert complete(varied, search, len(search)) == Completion(begin, words)


def test_keys_and_flags_where_nothing_is_written(varied: OpenedTrace) -> None:
    found = complete(varied, "op:Log ", 7)
    assert found.begin == 7
    assert found.words[:2] == ("nonfinite", "nan")
    assert "op:" in found.words


def test_names_without_a_key(varied: OpenedTrace) -> None:
    assert "op:MatMul" in complete(varied, "matm", 4).words
    assert "name:dense/Log" in complete(varied, "dens", 4).words


def test_in_the_middle(varied: OpenedTrace) -> None:
    assert complete(varied, "op:Matxyz kept", 6) == Completion(0, ("op:MatMul",))


@pytest.mark.parametrize("key", ["op", "name", "function", "file", "layer", "device", "dtype", "shape"])
def test_every_word_finds_something(varied: OpenedTrace, key: str) -> None:
    words = complete(varied, f"{key}:", len(key) + 1).words
    assert words
    assert all(len(find_events(varied, word)) for word in words)
