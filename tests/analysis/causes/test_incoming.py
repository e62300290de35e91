"""Values that were bad before any operation had touched them."""

from __future__ import annotations

from typing import Any

import pytest

from tensordbg.analysis.causes.incoming import bad_elements
from tensordbg.analysis.finding import TensorView
from tensordbg.model import Health
from tests.analysis.causes.cases import cause, inf, nan, verdict


def test_bad_input_data_names_the_row() -> None:
    said = verdict("Placeholder", [[1.0, 2.0], [1.0, 2.0], [inf, nan]], given=True)
    assert said.cause == "bad_input_data"
    assert said.explanation == (
        "Placeholder:0 came in from outside with 1 NaN and 1 +inf among 6 elements; "
        "the first is in row 2 of the batch, at [2, 0]."
    )


def test_what_is_bad_may_not_be_known() -> None:
    assert bad_elements(Health(size=1, first_bad=0)) == "what is not finite"
    assert bad_elements(Health(size=6, first_bad=0)) == "what is not finite among 6 elements"


def test_a_scalar_has_no_row() -> None:
    assert verdict("Placeholder", nan, given=True).explanation == "Placeholder:0 came in from outside with NaN."


def test_bad_variable() -> None:
    said = verdict("ReadVariableOp", [nan, 1.0], read=True, variable="dense/kernel")
    assert said.cause == "bad_variable"
    assert said.explanation.startswith("The variable dense/kernel held 1 NaN among 2 elements")


def test_a_variable_that_was_finite_in_the_step_recorded_before_had_no_bad_first_value() -> None:
    before = TensorView(0, "read:0", "read", "ReadVariableOp", 1, 0, "", 1, 1178, None, "", "float32", (2,), None)
    said = verdict("ReadVariableOp", [nan, 1.0], read=True, variable="kernel", last_finite=before)
    assert said.cause == "bad_variable"
    assert "In step 1178, the last before it that was recorded, it was finite: it was ruined in between" in (
        said.explanation
    )
    assert said.suggestion.startswith("Use `tdbg trap`, ")


def test_a_value_from_outside_written_into_a_variable() -> None:
    assert cause("Input", [nan], given=True, feeds_variable=True) == "bad_variable"
    assert cause("Input", [nan], given=True) == "bad_input_data"


def test_a_value_that_a_line_of_the_program_writes_is_no_first_value() -> None:
    said = verdict("Input", [nan], given=True, feeds_variable=True)
    assert said.suggestion.startswith("Look at how that line comes to the value")
    assert verdict("ReadVariableOp", [nan], read=True).suggestion.startswith("Look at where the variable's first value")


def test_a_python_function_that_was_given_finite_numbers() -> None:
    said = verdict("EagerPyFunc", [nan, nan], [5.0, 5.0], given=True)
    assert said.cause == "bad_input_data"
    assert said.explanation == (
        "The Python function behind EagerPyFunc:0 gave 2 NaN among 2 elements; the first is in row 0 of the batch, at "
        "[0]; what it was given, x0:0, was finite."
    )
    assert said.suggestion.startswith("Look into that function")


@pytest.mark.parametrize(
    ("op_type", "given", "fields"),
    [
        ("EagerPyFunc", [nan, 5.0], {}),  # it hands on what was bad
        ("EagerPyFunc", [3.0], {"dtype0": "int64"}),  # it reads a row of that number
        ("EagerPyFunc", None, {}),
        ("Placeholder", [5.0, 5.0], {}),
    ],
)
def test_data_that_no_python_function_made(op_type: str, given: Any, fields: dict[str, str]) -> None:
    said = verdict(op_type, [nan, 5.0], given, **{"given": True, **fields})
    assert "came in from outside" in said.explanation
    assert said.suggestion.startswith("Look at that row of the data")


def test_a_read_after_a_write_is_not_a_bad_variable() -> None:
    assert cause("AssignVariableOp", [nan], [1.0], read=False, written=True) == "arithmetic_overflow"


def test_non_finite_constant() -> None:
    said = verdict("Const", [-inf, 0.0])
    assert said.cause == "non_finite_constant"
    assert "tf.float32.min" in said.suggestion
    assert "If it stands for what is missing" in verdict("Const", [nan, 0.0]).suggestion


def test_what_began_before_the_kept_events_is_no_fault_of_the_operation() -> None:
    said = verdict("Log", [nan, 1.0], lost=True)
    assert said.cause == "before_kept_events"
    assert said.explanation == (
        "Log:0 holds 1 NaN among 2 elements, and what it was made from is no longer in the trace, which keeps only the "
        "last events: the trouble began before them."
    )


def test_what_was_recorded_in_part_is_not_blamed_on_what_was_recorded() -> None:
    said = verdict("Log", [nan, 1.0], left_out=True)
    assert said.cause == "between_recorded_tensors"
    assert said.explanation == (
        "Log:0 is the first that was recorded with 1 NaN among 2 elements. Of this step the budget had room for the "
        "tensors that matter most alone: what it was made from was not recorded, and the trouble may have begun in any "
        "operation between the recorded ones and it."
    )


def test_what_only_moves_numbers_does_not_make_them() -> None:
    said = verdict("GatherV2", [nan, 1.0], None, [0.0, 1.0])
    assert said.cause == "source_not_seen"
    assert "what x0:0 (Op) held was not recorded" in said.explanation
    assert "are finite" in verdict("Reshape", [nan, 1.0], [1.0, 1.0]).explanation
    assert cause("TensorListStack", [inf]) == "source_not_seen"


def test_a_cast_makes_infinities_only_of_a_larger_type() -> None:
    assert cause("Cast", [inf], [1.0], dtype0="float16") == "source_not_seen"
    assert cause("Cast", [inf], [1e6], dtype="float16", dtype0="float32") != "source_not_seen"


def test_what_moves_numbers_out_of_a_pipeline_or_variable_names_those() -> None:
    assert cause("OptionalGetValue", [nan], given=True) == "bad_input_data"
    assert cause("ResourceGather", [nan], None, read=True) == "bad_variable"


def test_whole_columns_are_a_matter_of_scaling() -> None:
    said = verdict("Input", [[1.0, nan, nan, 2.0]] * 16, given=True)
    assert said.explanation.endswith("at [0, 1], and there are as many as 2 whole columns hold.")
    assert "standard deviation of 0" in said.suggestion
    for rows in ([[1.0, nan]] * 3, [[1.0, 2.0]] + [[1.0, nan]] * 16, [[nan, 1.0]] + [[1.0, 2.0]] * 16):
        assert "Drop such rows" in verdict("Input", rows, given=True).suggestion


def test_what_a_replayed_step_was_given_is_bad_data_only_where_a_loader_gave_it() -> None:
    said = verdict("Input", [nan, 1.0], given=True, came="module")
    assert said.cause == "bad_before_step"
    assert "before the first module of the step was called; the first is in row 0" in said.explanation
    assert "before the step began" in verdict("Input", [nan, 1.0], given=True, came="step").explanation
    said = verdict("Input", [nan, 1.0], given=True, came="loader")
    assert (said.cause, said.explanation.endswith(", as the loader of the data gave it.")) == ("bad_input_data", True)
    assert cause("Input", [nan, 1.0], given=True, came="") == "bad_input_data"
    said = verdict("Input", [nan, 1.0], given=True, came="processes")
    assert (said.cause, said.explanation) == (
        "from_another_process",
        "Other processes have sent Input:0 within the step, with 1 NaN among 2 elements.",
    )
    assert said.suggestion.startswith("Replay this step's captures of the other processes")
