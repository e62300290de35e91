from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tensordbg.replaying.delta_debugging import smallest_failing


@given(st.integers(1, 60), st.data())
def test_finds_exactly_those_that_must_come_together(size: int, data: st.DataObject) -> None:
    guilty = data.draw(st.sets(st.integers(0, size - 1), min_size=1, max_size=4))
    asked = []

    def fails(part: Sequence[int]) -> bool:
        asked.append(tuple(part))
        assert list(part) == sorted(part) and part
        return guilty <= set(part)

    assert set(smallest_failing(range(size), fails)) == guilty
    if len(guilty) == 1:
        assert len(asked) <= 2 * size.bit_length()


def test_what_is_left_fails_and_nothing_of_it_can_be_left_out() -> None:
    def fails(part: Sequence[int]) -> bool:
        return sum(part) >= 100

    found = smallest_failing(range(40), fails)
    assert fails(found)
    assert not any(fails([each for each in found if each != one]) for one in found)
