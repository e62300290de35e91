"""The lines behind the names of a line, in the function in which it stands."""

from __future__ import annotations

import textwrap

from tensordbg.analysis.failures.named_lines import lines_behind

PROGRAM = textwrap.dedent("""
    err = 1
    def step(x):
        pred = model(x)
        if x:
            err = abs(pred.numpy())
        other = 2
        loss = mean(
            constant(err))
        err = 3
        return loss
    loss = err
""")


def test_lines_are_followed_back() -> None:
    assert list(lines_behind(PROGRAM, 9)) == [6, 4]
    assert list(lines_behind(PROGRAM, 12)) == [2]


def test_of_other_texts_there_are_none() -> None:
    assert list(lines_behind("def :", 1)) == list(lines_behind("", 1)) == list(lines_behind("x = 1", 9)) == []
