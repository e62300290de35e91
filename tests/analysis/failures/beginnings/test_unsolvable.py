from __future__ import annotations

from tensordbg.analysis.failures.beginnings.unsolvable import unsolvable
from tests.analysis.beginnings.drawn import Drawn


def test_the_matrix_behind_a_result_that_is_checked() -> None:
    past = Drawn()
    matrix = past.made("aten::add", [3, 3])
    info = past.made("aten::linalg_cholesky_ex", [], past.made("aten::t", [3, 3], matrix), dtype="int32")
    assert [*unsolvable(past, [None, info])] == [(1, matrix, info)]


def test_nothing_of_what_is_computed_of_no_matrix() -> None:
    past = Drawn()
    assert [*unsolvable(past, [past.made("aten::add", [3], past.made("Input", [3]))])] == []
