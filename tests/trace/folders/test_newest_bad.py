from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensordbg.health import measure
from tensordbg.trace.folders.newest_bad import NewestBad
from tensordbg.trace.sealed.seal import seal_full_segments
from tests.trace.builder import Tensor, TraceBuilder, small_program, write_segments

SLOTS = 256


class Growing:
    """A trace whose program runs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._build = TraceBuilder(folder, SLOTS, pid=os.getpid())
        self._build.describe(small_program())
        self._execution = self._build.begin(6)

    def grow(self, *numbers: float) -> None:
        """One tensor for each number."""
        import numpy as np

        for number in numbers:
            tensor = Tensor((1,), measure(np.array([number], np.float32)))
            self._build.eager_tensor(self._execution, 6, tensor)
        write_segments(self.folder, self._build.all_records(), SLOTS)


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    return Growing(tmp_path / "trace")


def test_where_nothing_is_nothing_is_bad(tmp_path: Path) -> None:
    assert not NewestBad(tmp_path).look()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("before", [0, 1, 70, 255, 300])
def test_what_is_bad_is_seen_once(growing: Growing, number: float, before: int) -> None:
    newest = NewestBad(growing.folder)
    growing.grow(*[1.0] * before)
    assert not newest.look()
    growing.grow(number)
    assert newest.look()
    growing.grow(*[1.0] * 200)
    newest.look()  # those beside what is new are looked at again
    assert not newest.look()


def test_what_was_sealed_between_two_looks_is_seen(growing: Growing) -> None:
    newest = NewestBad(growing.folder)
    growing.grow(1.0, float("nan"), *[1.0] * (SLOTS + 5))
    assert seal_full_segments(growing.folder)
    assert newest.look()
    assert not newest.look()
