from __future__ import annotations

from dataclasses import replace

from tensordbg.analysis.failures.beginnings.dtypes import beginning_of, differing, is_of_type_alone
from tests.analysis.beginnings.drawn import Drawn

EAGER = "cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a double tensor"


def test_the_input_that_is_named_comes_first() -> None:
    assert differing(EAGER, ["float32", "float64"]) == [1, 0]


def test_two_types_where_none_is_named() -> None:
    message = "Input 'b' of 'MatMul' Op has type float32 that does not match type float64 of argument 'a'."
    assert differing(message, ["float64", "float32"]) == [0, 1]


def test_the_odd_one_of_a_list() -> None:
    message = (
        "Tensors in list passed to 'values' of 'Pack' Op have types [float32, float32, int64] that don't all match."
    )
    assert differing(message, ["float32", "float32", "int64"]) == [0, 2]


def test_an_error_of_another_kind_is_not_of_types() -> None:
    assert differing("indices[2] = 14 is not in [0, 10)", ["float32", "int32"]) == []


def test_a_type_is_followed_to_the_cast_that_made_it() -> None:
    past = Drawn()
    x = past.made("Fill", [2])
    cast = past.made("Cast", [2], x, dtype="float64")
    turn = beginning_of(past, past.made("Mul", [2], cast, past.made("Const", dtype="float64"), dtype="float64"))
    assert (turn.made, turn.given) == (cast, (x,))


def test_a_constant_takes_the_type_of_what_it_is_computed_with() -> None:
    past = Drawn()
    label = past.made("Input", [2], dtype="int32")
    sign = past.made("Mul", [2], past.made("Const", dtype="int32"), label, dtype="int32")
    assert beginning_of(past, sign).made == label


def test_a_type_that_came_in_was_made_of_no_other() -> None:
    past = Drawn()
    came = past.made("Input", [2], dtype="float64")
    turn = beginning_of(past, came)
    assert (turn.made, turn.given) == (came, ())


def test_an_argument_that_python_gave_came_in_at_the_call() -> None:
    past = Drawn()
    array = replace(past.made("Input", [2], dtype="int64"), source=None)
    argument = past.made("Placeholder", [2], array, dtype="int64")
    turn = beginning_of(past, argument)
    assert (turn.made, turn.given) == (argument, ())


def test_a_pipeline_is_no_type_of_which_another_was_made() -> None:
    past = Drawn()
    batch = past.made("IteratorGetNext", [2], past.made("Placeholder", dtype="resource"))
    turn = beginning_of(past, batch)
    assert (turn.made, turn.given) == (batch, ())


def test_a_type_that_is_not_taken_says_nothing_of_shapes() -> None:
    assert is_of_type_alone(
        "Value passed to parameter labels has DataType float32 not in list of allowed values: int32"
    )
    assert not is_of_type_alone("Incompatible shapes: [3] vs. [4]")


def test_labels_and_indices_of_a_wrong_type_stand_second() -> None:
    floats = ["float32", "float32"]
    assert differing("expected target dtype to be Long or Byte, but got Float", floats) == [1]
    assert differing("expected target dtype to be Long or Byte, but got Int", ["float32", "int32"]) == [1]
    assert differing("mat1 and mat2 must have the same dtype, but got Double and Float", floats) == []
