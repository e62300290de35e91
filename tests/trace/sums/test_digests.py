"""Digests of values, step by step."""

from __future__ import annotations

import numpy as np
import pytest

from tensordbg.trace.sums.digests import MOST, Digests


def of(rows: list[tuple[int, int]], known: Digests | None = None) -> Digests:
    """Of values, each given with its step."""
    steps, values = np.array(rows, dtype=np.int64).T
    return (known or Digests()).with_values(steps, [values])


def test_the_order_does_not_matter_and_neither_does_how_many_come_at_once() -> None:
    rows = [(0, 5), (0, 6), (1, 7), (2, 8)]
    assert of(rows) == of(rows[::-1]) == of(rows[2:], of(rows[:2]))
    assert of(rows).counts == (2, 1, 1)


def test_one_other_value_changes_its_step_alone() -> None:
    one, other = of([(0, 5), (1, 6), (2, 7)]), of([(0, 5), (1, 66), (2, 7)])
    assert [a == b for a, b in zip(one.digests, other.digests, strict=True)] == [True, False, True]


def test_the_step_counts_too() -> None:
    assert of([(0, 5), (1, 6)]).with_stride(2) != of([(0, 6), (1, 5)]).with_stride(2)


def test_of_many_steps_each_entry_stands_for_several() -> None:
    rows = [(step, step) for step in range(5 * MOST)]
    digests = of(rows)
    assert (digests.stride, len(digests)) == (8, 5 * MOST // 8)
    assert digests == of(rows[MOST:], of(rows[:MOST]))
    assert digests == of(rows[: 2 * MOST], of(rows[2 * MOST :]))


def test_to_json_and_back() -> None:
    digests = of([(0, 5), (900, 6)])
    assert Digests.from_json(digests.to_json()) == digests


@pytest.mark.parametrize(
    "row",
    [
        {"stride": 3, "counts": [], "digests": []},
        {"stride": 1, "counts": [1], "digests": []},
        {"stride": 1, "counts": [-1], "digests": [1]},
        {"stride": 1, "counts": [1], "digests": [2**64]},
        {"stride": 1, "counts": [0] * (MOST + 1), "digests": [0] * (MOST + 1)},
    ],
)
def test_what_is_none_is_refused(row: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no digests"):
        Digests.from_json(row)
