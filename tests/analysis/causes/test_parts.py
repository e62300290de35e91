from __future__ import annotations

import math

from tests.analysis.causes.cases import verdict

inf, nan = math.inf, math.nan


def test_the_rest_of_a_divisor_of_which_a_part_was_written() -> None:
    said = verdict("aten::div", [0.2, inf], [1.0, 1.0], [5.0], [1.0, 0.0], framework="torch")
    assert said.cause == "division_by_zero"
    assert said.explanation == (
        "x2:0: 1 of its 2 elements is 0; division by 0 gives an infinity. x1:0 has written a part of that since."
    )


def test_the_rest_of_what_a_function_of_one_takes() -> None:
    assert verdict("aten::log", [-inf, 0.0], [1.0], [0.0, 2.0], framework="torch").cause == "log_of_zero"
    assert verdict("aten::sqrt", [nan, 0.0], [1.0], [-1.0, 2.0], framework="torch").cause == "root_of_negative"
    assert verdict("aten::acos", [nan, 0.0], [1.0], [-2.0, 1.0], framework="torch").cause == "function_domain"


def test_what_is_no_smaller_than_the_rest_is_no_part() -> None:
    assert verdict("aten::div", [0.2, inf], [1.0, 1.0], [5.0, 1.0], [1.0, 0.0], framework="torch").cause == "unknown"


def test_the_operands_of_a_division_are_not_taken_for_each_other() -> None:
    assert verdict("aten::div", [inf, 0.0], [0.0, 1.0], [1.0], framework="torch").cause == "unknown"


def test_nothing_is_said_of_operations_whose_operands_are_not_counted() -> None:
    assert verdict("aten::mul", [inf, 0.0], [1.0], [1.0, 0.0], framework="torch").cause == "unknown"
