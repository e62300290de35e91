"""The screen of `tdbg diff`."""

from __future__ import annotations

import pytest

from tensordbg.analysis.diff.result import Comparison, FirstDifference, ParameterPair
from tensordbg.report.diff_text import headline, render
from tests.analysis.diff.compared import tensor


def found(kind: str) -> FirstDifference:
    return FirstDifference(
        kind, tensor("Log:0"), tensor("aten::log:0", -2.0), 0.25, True, (), "one is twice", "halve it"
    )


def diverged(kind: str) -> Comparison:
    pair = ParameterPair("dense/kernel", "0/1", "differs", 0.125, (2, 3), (3, 2))
    return Comparison("diverged", 1200, 3, 4, 1e-6, found(kind), parameters=(pair,))


def test_both_runs_beside_each_other() -> None:
    lines = render(diverged("value")).splitlines()
    assert lines[0] == "The runs compute unlike values from equal ones, in step 0."
    assert [line.split() for line in lines if line.startswith(("tensor", "line", "min"))] == [
        ["tensor", "Log:0", "aten::log:0"],
        ["line", "train.py:7", "train.py:7"],
        ["min", "-1", "-2"],
    ]
    assert "apart by   0.25, made there: what went in agrees" in lines
    assert "fix        halve it" in lines
    assert "parameters: 0 of 1 begin equal" in lines
    assert "1,200 values agree within 1e-06; without a partner are 3 of A and 4 of B" in lines


@pytest.mark.parametrize("kind", ["value", "parameter", "input", "missing", "random", "update"])
def test_each_kind_has_a_sentence(kind: str) -> None:
    assert headline(diverged(kind)).startswith("The runs ")


def test_what_only_one_run_has_is_listed_where_nothing_differs() -> None:
    text = render(Comparison("same", 5, 1, 0, 1e-6, only_a=(tensor("Square:0"),)))
    assert text.startswith("The same: 5 values of B agree with A within 1e-06.")
    assert "only in A, and without a consequence: Square:0" in text


def test_nothing_in_common() -> None:
    assert "can't be compared" in headline(Comparison("not_comparable", 0, 5, 5, 1e-6))
