from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tensordbg.analysis.failures.beginnings.find import Refusal, find_beginnings
from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.finding import Beginning, SourceLine
from tests.analysis.beginnings.drawn import Drawn

HERE = SourceLine("/me/train.py", 99, "step", True, "")


def found(past: Drawn, op_type: str, message: str, given: Sequence[Made | None]) -> tuple[Beginning, ...]:
    names = [f"given {k}" for k in range(len(given))]
    return find_beginnings(Refusal(op_type, message, HERE, names, given), past)


def test_what_was_made_of_what_would_have_fitted_comes_first() -> None:
    past = Drawn()
    labels = past.made("Fill", [32, 8])
    hidden = past.made("Fill", [32, 4])
    flat = past.made("Reshape", [16, 8], hidden)
    told = found(past, "Sub", "Incompatible shapes: [32,8] vs. [16,8]", [labels, flat])
    assert [(each.what, each.given, each.tensor) for each in told] == [
        ("shape", "given 1", "Reshape:0"),
        ("shape", "given 0", "Fill:0"),
    ]


def test_a_number_and_what_had_wrapped_on_the_way_to_it() -> None:
    past = Drawn()
    image = past.made("Input", [2], span=(200, 200), dtype="uint8")
    hundred = past.made("Const", span=(100, 100), dtype="uint8")
    bright = past.made("AddV2", [2], image, hundred, span=(44, 44), dtype="uint8")
    wide = past.made("Cast", [2], bright, span=(44, 44), dtype="int32")
    index = past.made(
        "Sub", [2], wide, past.made("Const", span=(60, 60), dtype="int32"), span=(-16, -16), dtype="int32"
    )
    told = found(past, "GatherV2", "indices[0] = -16 is not in [0, 256)", [past.made("Fill", [256]), index])
    assert [(each.what, each.tensor) for each in told] == [("wrapped", "AddV2:0"), ("value", "Sub:0")]


def test_the_index_that_wrapped_itself_is_told_once() -> None:
    past = Drawn()
    small = past.made("Input", [1], span=(100, 100), dtype="int8")
    index = past.made("AddV2", [1], small, small, span=(-56, -56), dtype="int8")
    told = found(past, "GatherV2", "indices[0] = -56 is not in [0, 9)", [past.made("Fill", [9]), index])
    assert [each.what for each in told] == ["wrapped"]


def test_types_are_told_with_the_cast_first() -> None:
    past = Drawn()
    cast = past.made("Cast", [2], past.made("Fill", [2]), dtype="float64")
    message = "cannot compute Mul as input #0(zero-based) was expected to be a double tensor but is a float tensor"
    told = found(past, "Mul", message, [past.made("Fill", [2]), cast])
    assert [(each.what, each.given) for each in told] == [("dtype", "given 1"), ("dtype", "given 0")]


def test_what_a_layer_was_called_with_says_nothing_of_types() -> None:
    past = Drawn()
    message = (
        "Exception encountered when calling UNet.call().\n\nConcatOp : Dimension 1 in both shapes must be equal: "
        "shape[0] = [2,25,4] vs. shape[1] = [2,24,8]\n\nArguments received by UNet.call():\n"
        "  • x=tf.Tensor(shape=(2, 25, 1), dtype=float32)"
    )
    wide = past.made("ResizeNearestNeighbor", [2, 24, 8], past.made("MaxPool", [2, 12, 8]))
    axis = past.made("Const", dtype="int32", span=(-1, -1))
    told = found(past, "ConcatV2", message, [past.made("Input", [2, 25, 4]), wide, axis])
    assert [(each.what, each.tensor) for each in told] == [("shape", "ResizeNearestNeighbor:0"), ("shape", "Input:0")]


def test_a_size_that_was_not_known_is_followed_to_where_it_came_in() -> None:
    past = Drawn()
    batch = past.made("Placeholder", [-1, 5, 3])
    dense = past.made("MatMul", [-1, 5, 8], batch, past.made("ReadVariableOp", [3, 8]))
    message = "Failed to convert elements of [None, 5, 2, 4] to Tensor. Consider casting elements to a supported type."
    told = found(past, "Reshape", message, [dense, None])
    assert [(each.what, each.tensor) for each in told] == [("shape", "Placeholder:0")]


def test_of_an_assertion_the_numbers_are_told_that_its_line_was_given() -> None:
    past = Drawn()
    total = past.made("Sum", [], span=(3, 3))
    one = past.made("Const", span=(1, 1))
    distance = replace(past.made("Sub", [], total, one, span=(2, 2)), source=HERE)
    near = replace(past.made("LessEqual", [], distance, one, dtype="bool", span=(0, 0)), source=HERE)
    told = found(past, "Assert", "assertion failed: [x and y not equal to tolerance]", [near])
    assert [(each.what, each.given, each.explanation) for each in told] == [("value", "Sum:0", "Sum:0 made 3")]


def test_what_the_line_of_the_error_made_itself_is_not_told() -> None:
    past = Drawn()
    fill = past.made("Fill", [3, 4])
    refusal = Refusal("EnsureShape", "Shape of tensor [3,4]", fill.source, ["x"], [fill])
    assert find_beginnings(refusal, past) == ()


def test_an_error_of_nothing_that_is_looked_for() -> None:
    past = Drawn()
    assert found(past, "MatMul", "out of memory", [past.made("Fill", [3, 4])]) == ()
