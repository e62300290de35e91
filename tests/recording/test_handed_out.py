"""Tells the line of each part of what a generator yields or a function returns, and none where that is open."""

from __future__ import annotations

import textwrap

import pytest

from tensordbg.recording.assigned_lines import Scope
from tensordbg.recording.handed_out import lines_handed_out

SCOPE = Scope("f", 1)


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("x = 1\ny = 2\nreturn x, y", [2, 3]),
        ("x = 1\nreturn x, g(x)", [2, 3]),
        ("x = 1\ny = 2\nreturn {'b': x, 'a': y}, z", [3, 2, 4]),
        ("x = 1\nreturn x", [2]),
        ("if a:\n    return 1\nreturn 2", []),
        ("return", []),
        ("x = 1", []),
    ],
)
def test_of_what_is_returned(body: str, lines: list[int]) -> None:
    assert lines_handed_out("def f():\n" + textwrap.indent(body, "    "), SCOPE) == lines


def test_of_the_yield_at_which_a_generator_waits() -> None:
    text = "def f():\n    x = 1\n    yield x, 2\n    while True:\n        x = 3\n        yield x, (\n            4)\n"
    assert lines_handed_out(text, SCOPE, 3) == [2, 3]
    assert lines_handed_out(text, SCOPE, 6) == [5, 7]
    assert lines_handed_out(text, SCOPE, 4) == []
    assert lines_handed_out("def f(:", SCOPE, 1) == []
