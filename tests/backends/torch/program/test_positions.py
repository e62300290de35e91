"""Where within its lines the program stands."""

from __future__ import annotations

import sys

import pytest

from tensordbg.backends.torch.program.positions import Position, positions

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 does not tell columns")


def here() -> tuple[Position, ...]:
    return positions(lambda file: file == __file__)


def test_two_calls_on_one_line_stand_at_two_places_and_a_call_at_one_each_time() -> None:
    one, other = here(), here()
    assert one[0] == other[0]  # within the function
    assert one[1] != other[1]
    assert len({here()[1] for _ in range(3)}) == 1


def test_a_condition_that_is_compiled_twice_stands_at_one_place() -> None:
    found = []
    while found.append(here()) or len(found) < 3:
        pass
    assert len({each[1] for each in found}) == 1


def test_other_files_count_for_nothing() -> None:
    assert positions(lambda _: False) == ()
