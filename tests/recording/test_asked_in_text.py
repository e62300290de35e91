from __future__ import annotations

import ast
import textwrap

import pytest

from tensordbg.recording.asked_in_text import questions_at

CASES = {
    "a shape": ("assert d.shape == (16, 1)  # HERE", ["d shape"]),
    "one size": ("assert self.rows.shape[-1] == 4  # HERE", ["self.rows -1"]),
    "a size by a method": ("assert q.size(2) % heads == 0  # HERE", ["q 2"]),
    "the number of rows": ("assert len(x) == len(y)  # HERE", ["x 0", "y 0"]),
    "a rank and a type": ("assert x.ndim == 2 and x.dtype == tf.float32  # HERE", ["x shape", "x dtype"]),
    "a shape as a list": ("assert list(x.shape)[1] == x.get_shape().as_list()[0]  # HERE", ["x 1", "x 0"]),
    "a function of a module": ("assert tf.shape(x)[1] == np.ndim(y)  # HERE", ["x 1", "y shape"]),
    "the condition of a raise": (
        """
        if x.dim() != 3:
            with noted():
                raise ValueError("no")  # HERE
        """,
        ["x shape"],
    ),
    "the conditions of an elif": (
        """
        if x.shape[0] == 1:
            pass
        elif flag:
            raise ValueError("no")  # HERE
        """,
        ["x 0"],
    ),
    "sizes that have names": (
        """
        def f(q, n):
            b, t, width = q.size()
            half = width // 2
            if half % n:
                raise ValueError("no")  # HERE
        """,
        ["q 2"],
    ),
    "a size that is unpacked": ("b, t, c = x.shape  # HERE", ["x shape"]),
    "nothing of a raise in a loop": (
        """
        if x.ndim == 2:
            for row in rows:
                raise ValueError("no")  # HERE
        """,
        [],
    ),
    "nothing of a raise for another error": (
        """
        if x.ndim == 2:
            try:
                go()
            except KeyError:
                raise ValueError("no")  # HERE
        """,
        [],
    ),
    "nothing of a name that stands for something else by now": (
        """
        def f(q):
            width = q.shape[1]
            q = other(q)
            if width != 3:
                raise ValueError("no")  # HERE
        """,
        [],
    ),
    "nothing of a name of another function": (
        """
        def f(x):
            n = x.shape[0]
        n = 3
        assert n == 4  # HERE
        """,
        [],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_statement_asks_for(case: str) -> None:
    text, expected = CASES[case]
    text = textwrap.dedent(text)
    (line,) = (number for number, each in enumerate(text.splitlines(), 1) if each.endswith("# HERE"))
    assert [f"{ast.unparse(each.tensor)} {each.what}" for each in questions_at(text, line)] == expected


def test_no_question_in_what_is_no_python_and_in_lines_that_are_not_there() -> None:
    assert questions_at("assert x.shape ==", 1) == []
    assert questions_at("assert x.shape == 1\n", 7) == []
