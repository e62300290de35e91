from __future__ import annotations

import pytest

from tensordbg.capture.replayed import Bisected
from tensordbg.report.replays.bisected import bisected_lines


@pytest.mark.parametrize(
    ("smallest", "alone", "said"),
    [
        ((), (), "the batch of 4 rows did not go wrong in the same way again, so no part of it is to blame"),
        ((2,), (2,), "row 2 of 4 goes wrong alone, and none of the others does"),
        ((2,), (2, 3), "rows 2, 3 of 4 each go wrong alone"),
        ((0,), (0, 1, 2, 3), "each of the 4 rows goes wrong alone: look at the weights rather than at the data"),
        ((1, 3), (), "rows 1, 3 of 4 go wrong together, and no fewer of them do"),
    ],
)
def test_names_the_rows(smallest: tuple[int, ...], alone: tuple[int, ...], said: str) -> None:
    first, *rest = bisected_lines(Bisected(("x", "y"), 4, smallest, alone, refilled=True, runs=9))
    assert first == said
    if smallest:
        assert rest[0] == "divided were x, y, in 9 runs"
        assert rest[1].startswith("the step takes exactly 4 rows")


def test_many_rows_are_cut() -> None:
    (first, _) = bisected_lines(Bisected(("x",), 1000, (0,), tuple(range(50)), refilled=False, runs=9))
    assert first == "rows 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 40 more of 1,000 each go wrong alone"


def test_rows_are_named_where_their_origins_are_known() -> None:
    bisected = Bisected(("x",), 3, (1,), (1, 2), refilled=False, runs=9)
    assert "row 1 came from b.png" in list(bisected_lines(bisected, ("a.png", "b.png", "")))
    assert not any("came from" in line for line in bisected_lines(bisected, ("a.png",)))


def test_what_stood_in_for_the_rows_left_out_is_said() -> None:
    *_, last = bisected_lines(Bisected(("x",), 3, (1,), (1,), refilled=True, runs=9, stand_ins=(0, 2)))
    assert last == "the step takes exactly 3 rows, so those left out were replaced by others with which all goes well"
