"""Columns that meet rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tensordbg.analysis.warnings.losses.outer_broadcast import outer_broadcasts
from tensordbg.analysis.warnings.study.study import Finding
from tests.analysis.builder import TraceBuilder
from tests.analysis.warnings.network import studied


def findings(
    column: str = "MatMul", row: str = "y", after: Sequence[str] = ("Square",), count: int = 6
) -> list[Finding]:
    """What is said of a column and a row, made by an operation each, whose difference goes through others to a mean."""
    trace = TraceBuilder()
    w = trace.variable("w", "[4, 1]", trainable=True)
    f = trace.function("train_step")
    x, y = f.argument("x"), f.argument("y")
    read = f.read(w)
    guess = f.op("MatMul", x, read, name="guess")
    one = guess if column == "MatMul" else f.op(column, y, name="column")
    two = {"y": y, "Squeeze": f.op("Squeeze", guess, name="row")}[row]
    error = f.op("Sub", one, two, line=9)
    shapes = {x: (count, 4), y: (count,), read: (4, 1), guess: (count, 1), one: (count, 1), two: (count,)}
    shapes[error] = (count, count)
    last = error
    for op_type in after:
        last = f.op(op_type, last)
        shapes[last] = (count, 2) if op_type == "MatMul" else (count, count)
    loss = f.op("Mean", last, name="loss")
    shapes[loss] = ()
    f.write(w, f.op("Mul", error, loss, name="gradient_tape/loss/Mul"), op_type="AssignSubVariableOp")
    for _ in range(8):
        run = trace.run(f)
        for ref, shape in shapes.items():
            run.event(ref, np.ones(shape))
    return outer_broadcasts(studied(trace))


def test_a_column_of_guesses_and_a_row_of_targets() -> None:
    (finding,) = findings()
    assert finding.evidence == {"steps": 8, "examples": 6, "elements": 36}
    assert "Sub of guess:0 of shape [6, 1] and y:0 of shape [6] gives [6, 6]" in finding.explanation


def test_what_is_made_to_meet_is_meant() -> None:
    assert findings(column="ExpandDims", row="y") == []  # both are data
    assert findings(row="Squeeze") == []  # made from the column itself


def test_a_square_that_is_used_for_more_is_meant() -> None:
    assert findings(after=("Square", "MatMul")) == []
    assert len(findings(after=("Abs", "Mul"))) == 1


def test_of_one_example_nothing_is_said() -> None:
    assert findings(count=1) == []
