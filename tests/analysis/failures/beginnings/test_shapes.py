from __future__ import annotations

import pytest

from tensordbg.analysis.failures.beginnings.made import Made
from tensordbg.analysis.failures.beginnings.shapes import Odd, asked_for, beginning_of, met, odds
from tests.analysis.beginnings.drawn import Drawn

INCOMPATIBLE = "Incompatible shapes"


@pytest.mark.parametrize(
    ("op_type", "given", "found"),
    [
        ("Sub", [(16, 8), (32, 8)], [Odd(0, 0, 32, 2), Odd(1, 0, 16, 2)]),
        ("Sub", [(4, 16, 8), (32, 8)], [Odd(0, 1, 32, 2), Odd(1, 0, 16, 3)]),
        ("Sub", [(1, 8), (32, 8)], [Odd(0, None)]),
        ("MatMul", [(4, 3), (5, 2)], [Odd(0, 1, 5), Odd(1, 0, 3)]),
        ("MatMul", [(4, 3), (3, 2)], []),
        ("MatMul", [(4, 3), None], []),
        ("aten::addmm", [(5,), (4, 3), (7, 5)], [Odd(1, 1, 7), Odd(2, 0, 3)]),
        ("aten::stack", [(3,), (2,)], [Odd(0, 0, 2), Odd(1, 0, 3)]),
        ("ConcatV2", [(2, 3), (4, 2), ()], [Odd(0, None), Odd(1, None)]),
        ("ConcatV2", [(2, 3), (2, 3, 1), ()], [Odd(0, None), Odd(1, None)]),
        ("EnsureShape", [(3, 4)], [Odd(0, None)]),
        ("Reshape", [None, ()], []),
        ("Reshape", [(32, 3, 3, 64), (2,)], [Odd(0, None)]),
    ],
)
def test_what_does_not_fit_together(op_type: str, given: list[tuple[int, ...] | None], found: list[Odd]) -> None:
    assert odds(op_type, INCOMPATIBLE, given) == found


@pytest.mark.parametrize(
    ("message", "given", "found"),
    [
        ("expected input[4, 8, 9, 9] to have 6 channels", [(4, 8, 9, 9), (8, 6, 3, 3)], [Odd(0, 1, 6)]),
        ("Given normalized_shape=[2, 5], expected input with shape [*, 2, 5]", [(4, 2, 8), (2, 5)], [Odd(0, 2, 5)]),
        ("running_mean should contain 8 elements not 10", [(4, 8), (10,)], [Odd(0, 1, 10)]),
        ("input.size(-1) must be equal to input_size. Expected 10, got 12", [(4, 7, 12)], [Odd(0, 2, 10)]),
    ],
)
def test_sentences_that_say_how_large_a_dimension_should_be(
    message: str, given: list[tuple[int, ...]], found: list[Odd]
) -> None:
    assert odds("aten::some", message, given) == found


def test_of_the_number_of_dimensions_the_labels_are_told() -> None:
    message = "Argument `output` must have rank (ndim) `target.ndim - 1`."
    assert odds("", message, [(32,), (32, 28, 10)]) == [Odd(0, None)]


def test_numbers_that_are_refused_have_a_shape_that_is_told_besides() -> None:
    message = (
        "Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs: torch.Size([2])) to "
        "satisfy the constraint Simplex(), but found invalid values"
    )
    assert odds("", message, [(2,)]) == []


def test_a_dimension_is_followed_through_a_transposition() -> None:
    past = Drawn()
    x = past.made("aten::exp", [5, 12])
    turn = beginning_of(past, past.made("aten::t", [12, 5], x), Odd(0, 0))
    assert turn is not None
    assert turn.made == x


def test_the_channels_of_a_convolution_are_its_own() -> None:
    past = Drawn()
    x, kernel = past.made("aten::exp", [4, 8, 9, 9]), past.made("aten::exp", [8, 8, 3, 3])
    made = past.made("aten::convolution", [4, 8, 7, 7], x, kernel)
    turn = beginning_of(past, made, Odd(0, 1))
    assert turn is not None
    assert turn.made == made


def test_an_error_of_another_kind_is_not_of_shapes() -> None:
    assert odds("Sub", "out of memory", [(16, 8), (32, 8)]) == []


def test_a_dimension_is_followed_to_the_operation_that_was_not_given_it() -> None:
    past = Drawn()
    x = past.made("Fill", [32, 6])
    hidden = past.made("MatMul", [32, 4], x, past.made("ReadVariableOp", [6, 4]))
    flat = past.made("Reshape", [16, 8], hidden, past.made("Const", [2], dtype="int32"))
    last = past.made("Mul", [16, 8], flat, past.made("Const"))
    turn = beginning_of(past, last, Odd(0, 0, 32))
    assert turn is not None
    assert (turn.made, turn.given) == (flat, (hidden,))


def test_the_last_dimension_of_a_product_is_that_of_the_kernel() -> None:
    past = Drawn()
    kernel = past.made("ReadVariableOp", [8, 8])
    turn = beginning_of(past, past.made("MatMul", [32, 8], past.made("Fill", [32, 8]), kernel), Odd(0, 1))
    assert turn is not None
    assert turn.made == kernel


def test_a_dimension_counted_from_behind_where_others_came_before_it() -> None:
    past = Drawn()
    row = past.made("Fill", [8])
    turn = beginning_of(past, past.made("Tile", [4, 8], row), Odd(0, 1))
    assert turn is not None
    assert turn.made == row


def test_a_whole_shape_is_followed_to_who_made_it_of_another() -> None:
    past = Drawn()
    x = past.made("Fill", [4, 3])
    turned = past.made("Transpose", [3, 4], x)
    turn = beginning_of(past, past.made("Relu", [3, 4], turned), Odd(0, None))
    assert turn is not None
    assert (turn.made, turn.given) == (turned, (x,))


def test_nothing_is_said_where_what_an_operation_took_is_not_known() -> None:
    past = Drawn()
    assert beginning_of(past, past.made("Reshape", [3, 4], None), Odd(0, None)) is None


def test_what_a_pipeline_gave_came_from_there() -> None:
    past = Drawn()
    batch = past.made("IteratorGetNext", [2, 2], None)
    turn = beginning_of(past, batch, Odd(0, 0))
    assert turn is not None
    assert (turn.made, turn.given) == (batch, ())


@pytest.mark.parametrize("axis", [1, None])
def test_a_batch_has_the_shape_of_the_rows_that_it_was_made_of(axis: int | None) -> None:
    past = Drawn()
    whole = past.made("Input", [60, 7])
    batch = past.made("IteratorGetNext", [12, 7], whole)
    turn = beginning_of(past, batch, Odd(0, axis))
    assert turn is not None
    assert turn.made == whole


@pytest.mark.parametrize(
    ("made", "shapes", "expected"),
    [
        ([32, 32], [[32, 1], [32]], True),
        ([32, 8], [[32, 1], [8]], True),
        ([32, 8], [[32, 8], [8]], False),
        ([32, 8], [[32, 1], [1, 4]], False),
        ([4], [[4], []], False),
    ],
)
def test_two_tensors_that_were_spread_over_each_other(made: list[int], shapes: list[list[int]], expected: bool) -> None:
    past = Drawn()
    given: list[Made] = [past.made("Fill", shape) for shape in shapes]
    assert met(past.made("Sub", made, *given), given) is expected


def test_a_broadcast_is_the_beginning_of_a_dimension_that_the_other_input_lacks() -> None:
    past = Drawn()
    square = past.made("Sub", [32, 32], past.made("Fill", [32, 1]), past.made("Fill", [32]))
    turn = beginning_of(past, square, Odd(0, 0, rank=1))
    assert turn is not None
    assert turn.made == square


def test_rows_are_compared_from_the_front_where_the_message_says_so() -> None:
    message = "Arguments `target` and `output` must have the same shape up until the last dimension"
    assert odds("", message, [(9,), (10, 3)]) == [Odd(0, 0, 10, 2), Odd(1, 0, 9, 1)]


def test_a_dimension_of_1_is_not_that_of_another_rank() -> None:
    past = Drawn()
    row = past.made("Mean", [1, 8], past.made("Fill", [4, 8]))
    wider = past.made("ExpandDims", [1, 1, 8], row)
    turn = beginning_of(past, wider, Odd(0, 0, 4, 3))
    assert turn is not None
    assert turn.made is wider
    added = past.made("AddV2", [1, 1, 8], past.made("Fill", [1]), wider)
    turn = beginning_of(past, added, Odd(0, 0, 4, 3))
    assert turn is not None
    assert turn.made is wider


def test_of_the_state_of_a_loop_that_is_told_which_an_iteration_left() -> None:
    message = "'h' has shape (2, 4) before the loop, but shape (2, 5) after one iteration."
    assert odds("", message, [(2, 4), (2, 4), (2, 5)]) == [Odd(2, 1, 4)]
    assert odds("", message.replace("(2, 5)", "(2,)"), [(2, 4), (2,)]) == [Odd(1, None)]


def test_a_dimension_that_is_asked_for_and_the_whole_shape() -> None:
    assert asked_for(1, "-1", (2, 3, 4)) == [Odd(1, 2), Odd(1, None)]
    assert asked_for(0, "3", (2, 3, 4)) == [Odd(0, None)]
    assert asked_for(0, "shape", (2, 3, 4)) == [Odd(0, None)]
