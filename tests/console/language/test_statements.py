"""Statements are found with all their lines, and with the names that they give and read."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tensordbg.console.language.statements import statements_in, statements_of

TEXT = '''"""A text."""
import tensorflow as tf

def step(x, y=1):
    """Another."""
    loss = tf.reduce_mean(
        tf.square(x - y),
        axis=0,
    )
    while loss > 0:
        self.n, k = loss, 2
        loss -= 1

    try:
        a: int = 3
    except ValueError:
        pass
    return loss
'''


def test_a_loop_has_the_lines_of_its_turns() -> None:
    def lines(text: str) -> range:
        found = statements_in(ast.parse(text)).at(1)
        assert found is not None
        return found.repeated

    assert lines("for x in f(\n  y):\n  a = x\n  if a:\n    b = 1\nelse:\n  c = 2\n") == range(3, 6)
    assert lines("while x > 1:\n  x -= 1\n") == range(2, 3)
    assert lines("for x in y: a = x\n") == lines("if x:\n  y = 1\n") == range(0)


@pytest.mark.parametrize(
    ("line", "first", "last"),
    [(6, 6, 9), (8, 6, 9), (10, 10, 10), (11, 11, 11), (12, 12, 12), (15, 15, 15), (18, 18, 18)],
)
def test_a_statement_has_all_its_lines(line: int, first: int, last: int) -> None:
    found = statements_in(ast.parse(TEXT)).at(line)
    assert found is not None and (found.first, found.last) == (first, last)


@pytest.mark.parametrize("line", [1, 2, 3, 4, 5, 13, 14, 16, 17, 19])
def test_what_makes_no_operation_is_none(line: int) -> None:
    assert statements_in(ast.parse(TEXT)).at(line) is None


def test_names_are_given_and_taken() -> None:
    statements = statements_in(ast.parse(TEXT))
    loss, parts, falls = (statements.at(line) for line in (6, 11, 12))
    assert loss is not None and parts is not None and falls is not None
    assert loss.assigned == {"loss"} and {"x", "y"} <= loss.taken and loss.value_of == "loss"
    assert parts.assigned == {"self.n", "k"} and parts.value_of == ""
    assert falls.value_of == "loss" and falls.gives_only == frozenset()


def test_what_is_no_python_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = (")
    assert statements_of(str(tmp_path / "a.py")) is None
    assert statements_of(str(tmp_path / "b.py")) is None
