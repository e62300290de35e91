"""Second names stand for the values that the first ones have."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.program.other_names import statements_before, value_of
from tensordbg.analysis.tensors.show import history_of
from tensordbg.errors import UsageError
from tensordbg.trace.reader import open_trace
from tests.backends.tensorflow.recorded import shown


def test_lists_of_a_python_loop_in_a_function_in_the_order_of_the_text(tmp_path: Path) -> None:
    @tf.function
    def run(xs: Any) -> Any:
        state = tf.zeros([])
        states, doubled = [], []
        for k in range(3):
            state = state + xs[k]
            states.append(state)
            doubled.append(xs[k] * 2.0)
        return states, doubled

    values = shown(tmp_path, lambda: run(tf.constant([1.0, 2.0, 3.0])))
    assert values("states") == [1, 3, 6]
    assert values("doubled") == [2, 4, 6]


def test_lists_of_eager_code(tmp_path: Path) -> None:
    def program() -> None:
        losses = []
        for k in range(3):
            loss = tf.constant(float(k)) * 2.0
            losses.append(loss)
        assert len(losses) == 3

    assert shown(tmp_path, program)("losses") == [0, 2, 4]


def test_lists_of_lists_and_names_that_are_given_side_by_side(tmp_path: Path) -> None:
    @tf.function
    def run(x: Any) -> Any:
        grid = []
        for i in range(2):
            row: list[Any] = []
            if i:
                row.append(x - 1.0)
            for j in range(2):
                each = x * float(i + j)
                row.append(each)
            grid.append(row)
        base = x + 10.0
        first, last = x * 7.0, base
        return grid, first, last

    values = shown(tmp_path, lambda: run(tf.constant(3.0)))
    assert sorted(values("grid")) == [0, 2, 3, 3, 6]
    assert (values("first"), values("last")) == ([21], [13])


def test_what_is_given_side_by_side_in_eager_code(tmp_path: Path) -> None:
    def program() -> None:
        x = tf.constant(3.0)
        y = x * 2.0
        a, b = y, x + 1.0
        pair = (a, b)
        before, now = y, y
        assert len(pair) == 2
        assert before is now

    values = shown(tmp_path, program)
    assert (values("a"), values("b"), values("now")) == ([6], [4], [6])


def test_lists_of_pytorch(tmp_path: Path) -> None:
    torch: Any = pytest.importorskip(
        "torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)"
    )
    with tensordbg.record(tmp_path / "trace"):
        state = torch.zeros(1)
        states, squares = [], []
        for k in range(3):
            state = state + float(k)
            states.append(state)
            squares.append(state * state)

    def values(name: str) -> list[float | None]:
        return [point.health.max for point in history_of(open_trace(tmp_path / "trace"), name).points]

    assert values("states") == [0, 1, 3]
    assert values("squares") == [0, 1, 9]
    with pytest.raises(UsageError, match=r"no tensor 'squars:0' in .*; did you mean 'squares'"):
        values("squars")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x = f(a)\ny = x", "f(a)"),
        ("x = f(a)\nz = x\ny = z", "f(a)"),
        ("x = f(a)\nx += 1\ny = x", "x += 1"),
        ("x = f(a)\nif a:\n    x = g(a)\ny = x", "x"),
        ("x = f(a)\nfor x in a:\n    pass\ny = x", "x"),
        ("x, z = f(a)\ny = x", "x"),
        ("x = f(a)\ndef x():\n    pass\ny = x", "x"),
        ("y = x", "x"),
        ("x = f(a)\ny = x + 1", "x + 1"),
    ],
)
def test_the_value_is_told_where_the_text_alone_makes_it_certain(text: str, value: str) -> None:
    tree = ast.parse(text)
    last = tree.body[-1]
    assert isinstance(last, ast.Assign)
    assert ast.unparse(value_of(last.value, last, statements_before(tree))) == value
