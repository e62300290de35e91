from __future__ import annotations

import pytest

from tensordbg.analysis.failures.beginnings.numbers import OutOfRange, beginning_of, holds, out_of_range, refused
from tests.analysis.beginnings.drawn import Drawn

WRONG = OutOfRange(14, 0, 10)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("indices[2] = 14 is not in [0, 10)", WRONG),
        ("Index 11 of input takes value 14 which is not in the valid range [0, 10)", WRONG),
        ("indices = -1 is not in [0, 5)", OutOfRange(-1, 0, 5)),
        ("Received a label value of 3 which is outside the valid range of [0, 3).", OutOfRange(3, 0, 3)),
        ("segment_ids[0] = 9 is out of range [0, 4)", OutOfRange(9, 0, 4)),
        ("indices[13] = [13, 3] does not index into param shape [16,3], node name: x", OutOfRange(3, 0, 3, part=1)),
        ("indices[0] = [-1] does not index into shape [4,2]", OutOfRange(-1, 0, 4, part=0)),
        ("k (4) from index[6,1] out of bounds (>=4)", OutOfRange(4, 0, 4, rank=2, part=1)),
        ("Incompatible shapes: [16,8] vs. [32,8]", None),
    ],
)
def test_what_a_message_says_of_a_number(message: str, expected: OutOfRange | None) -> None:
    assert out_of_range(message, []) == expected


def test_an_index_of_a_dimension_must_be_below_its_size() -> None:
    given = [Drawn().made("Fill", [8, 5])]
    assert out_of_range("slice index 9 of dimension 0 out of bounds.", given) == OutOfRange(9, -8, 8)
    assert out_of_range("slice index 9 of dimension 2 out of bounds.", given) is None


def test_only_whole_numbers_are_refused_as_indices() -> None:
    past = Drawn()
    params = past.made("Fill", [10], span=(0, 100))
    index = past.made("Mul", [3], span=(2, 14), dtype="int32")
    assert refused([params, None, index, past.made("Const", dtype="int32", span=(0, 0))], WRONG) == [2]


def test_what_is_looked_up_in_and_what_is_put_into_a_list_is_no_index() -> None:
    past = Drawn()
    table = past.made("Const", [20], dtype="int32", span=(0, 40))
    index = past.made("Mul", [3], dtype="int32", span=(2, 14))
    assert refused([table, index], WRONG, "GatherV2") == [1]
    beyond = out_of_range("Trying to modify element 5 in a list with 5 elements.", [])
    assert beyond is not None
    token = past.made("ArgMax", [3], dtype="int32", span=(5, 5))
    assert refused([None, past.made("AddV2", [], dtype="int32", span=(5, 5)), token], beyond) == [1]
    sparse = out_of_range("k (4) from index[6,1] out of bounds (>=4)", [])
    assert sparse is not None
    sizes = past.made("Input", [2], dtype="int64", span=(4, 4))
    assert refused([past.made("Input", [8, 2], dtype="int64", span=(0, 4)), None, sizes], sparse) == [0]


@pytest.mark.parametrize(("chosen", "expected"), [((1, 1), "AddV2"), ((0, 0), "Input"), ((0, 1), "AddV2")])
def test_of_a_choice_that_is_the_same_for_all_one_side_is_followed(chosen: tuple[int, int], expected: str) -> None:
    """As in Keras' `Embedding`, where 0 + 14 is not taken since no index is below 0."""
    past = Drawn()
    index = past.made("Input", [3], span=(0, 14), dtype="int32")
    counted = past.made("AddV2", [3], index, past.made("Const", span=(14, 14)), span=(14, 28), dtype="int32")
    condition = past.made("Less", [3], dtype="bool", span=chosen)
    turn = beginning_of(past, past.made("SelectV2", [3], condition, counted, index, span=(0, 14)), WRONG)
    assert turn is not None
    assert turn.made.op_type == expected


def test_a_part_of_a_place_is_followed_into_what_the_places_were_put_together_of() -> None:
    past = Drawn()
    rows = past.made("Range", [16], dtype="int32", span=(0, 15))
    actions = past.made("Input", [16], dtype="int32", span=(0, 3))
    turn = beginning_of(past, past.made("Pack", [16, 2], rows, actions, span=(0, 15)), OutOfRange(3, 0, 3, part=1))
    assert turn is not None
    assert turn.made == actions


def test_a_number_below_the_smallest() -> None:
    past = Drawn()
    assert holds(past.made("Sub", [2], span=(-16, 3)), OutOfRange(-16, 0, 10))
    assert not holds(past.made("Sub", [2], span=(0, 30)), OutOfRange(-16, 0, 10))
    assert not holds(past.made("Sub", [2]), OutOfRange(-16, 0, 10))


def test_the_number_is_followed_through_what_only_moves_it() -> None:
    past = Drawn()
    index = past.made("Input", [3], span=(1, 7), dtype="int32")
    twice = past.made("Mul", [3], index, past.made("Const", span=(2, 2)), span=(2, 14), dtype="int32")
    moved = past.made("Reshape", [3, 1], past.made("Cast", [3], twice, span=(2, 14), dtype="int64"), span=(2, 14))
    turn = beginning_of(past, moved, WRONG)
    assert turn is not None
    assert turn.made == twice
    assert turn.given[0] == index


def test_the_number_is_followed_through_a_pipeline_where_what_stands_behind_it_is_known() -> None:
    past = Drawn()
    labels = past.made("Input", [60], span=(1, 14), dtype="int64")
    for behind, made in ((labels, labels), (None, None)):
        batch = past.made("IteratorGetNext", [3], behind, span=(2, 14), dtype="int64")
        turn = beginning_of(past, batch, WRONG)
        assert turn is not None
        assert (turn.made, turn.given) == (made or batch, ())


def test_a_number_that_only_moved_and_was_in_nothing_known_is_not_told() -> None:
    past = Drawn()
    assert beginning_of(past, past.made("Reshape", [3], None, span=(2, 14)), WRONG) is None


def test_the_number_is_followed_through_a_choice_and_not_into_its_condition() -> None:
    past = Drawn()
    words = past.made("Placeholder", [3], span=(2, 14), dtype="int32")
    condition = past.made("Less", [3], span=(0, 1), dtype="bool")
    shifted = past.made("AddV2", [3], words, past.made("Const", span=(10, 10)), span=(12, 24), dtype="int32")
    chosen = past.made("SelectV2", [3], condition, shifted, words, span=(2, 14), dtype="int32")
    beyond = OutOfRange(11, 0, 10)
    turn = beginning_of(past, chosen, beyond)
    assert turn is not None
    assert turn.made is words


def test_what_pytorch_says_of_a_number() -> None:
    past = Drawn()
    table, index = past.made("aten::exp", [10, 4]), past.made("aten::mul", [3], dtype="int64", span=(2, 14))
    assert out_of_range("index out of range in self", [table, index]) == WRONG
    assert out_of_range("index out of range in self", [table]) is None
    assert out_of_range("Target 3 is out of bounds.", [past.made("aten::exp", [8, 3])]) == OutOfRange(3, 0, 3)
    assert out_of_range("index 3 is out of bounds for dimension 0 with size 3", []) == OutOfRange(3, -3, 3)
    assert out_of_range("index -1 is out of bounds for dimension 0 with size 3", []) == OutOfRange(-1, 0, 3)
