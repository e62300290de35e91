"""Damaged traces, captures and logs, 800, each asked something: an answer, or one line that says what is wrong.

`make fuzz` runs a hundred times as many, with another seed each time.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.fuzz.batches import Batch, run_batches
from tests.fuzz.damage import damage
from tests.fuzz.originals import make_originals

SEED = 14
CASES = 800
TOGETHER = 400


@pytest.mark.parametrize("first", range(0, CASES, TOGETHER))
def test_damage_is_answered_or_told_in_one_line(first: int) -> None:
    failures: list[dict[str, object]] = []
    run_batches(Batch(SEED, first, TOGETHER), 1, failures.append)
    told = [
        f"python -m tests.fuzz --seed {SEED} --first {each['number']} --cases 1\n{each['story']}" for each in failures
    ]
    assert not told, "\n\n".join(told)


def test_a_case_can_be_repeated(tmp_path: Path) -> None:
    original = make_originals(tmp_path / "one")[0]
    again = make_originals(tmp_path / "two")[0]
    for number in range(20):
        done = [damage(each.folder, random.Random(number)) for each in (original, again)]
        assert done[0] == done[1]
