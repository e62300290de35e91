from __future__ import annotations

import itertools
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tensordbg.remote.holes import HoledFile, Span

CONTENT = np.random.default_rng(7).integers(1, 256, 2**20, dtype=np.uint8).tobytes()


class Far:
    """What is far away, and what was asked of it."""

    def __init__(self, content: bytes = CONTENT) -> None:
        self.content = content
        self.asked: list[Span] = []

    def __call__(self, spans: Sequence[Span]) -> list[bytes]:
        self.asked += spans
        return [self.content[begin:end] for begin, end in spans]


def holed(folder: Path, far: Far) -> tuple[HoledFile, Path]:
    path = folder / "part.parquet"
    return HoledFile(path, len(CONTENT), far), path


def test_only_what_is_needed_is_asked_for_and_once(tmp_path: Path) -> None:
    far = Far()
    file, path = holed(tmp_path, far)
    assert path.stat().st_size == len(CONTENT)
    file.need([(1000, 2000), (500_000, 500_100)])
    file.need([(1500, 1800)])
    assert far.asked == [(1000, 2000), (500_000, 500_100)]
    there = path.read_bytes()
    assert there[1000:2000] == CONTENT[1000:2000]
    assert there[500_000:500_100] == CONTENT[500_000:500_100]
    assert set(there[2000:500_000]) == {0}
    assert file.brought == 1100


def test_spans_that_lie_near_one_another_are_one_question(tmp_path: Path) -> None:
    far = Far()
    file, path = holed(tmp_path, far)
    file.need([(0, 10), (5000, 5010), (900_000, 900_001)])
    assert far.asked == [(0, 5010), (900_000, 900_001)]
    file.need([(0, 6000)])
    assert far.asked[2:] == [(5010, 6000)]
    assert path.read_bytes()[:6000] == CONTENT[:6000]


def test_what_lies_beyond_the_end_is_left_out(tmp_path: Path) -> None:
    far = Far()
    file, _ = holed(tmp_path, far)
    file.need([(-50, 10), (len(CONTENT) - 5, len(CONTENT) + 100)])
    assert far.asked == [(0, 10), (len(CONTENT) - 5, len(CONTENT))]


def test_a_file_that_has_become_shorter_is_an_error_and_not_zeros(tmp_path: Path) -> None:
    file, _ = holed(tmp_path, Far(CONTENT[:1500]))
    with pytest.raises(OSError, match="has only 1,500 bytes"):
        file.need([(1000, 2000)])
    with pytest.raises(OSError, match="has only"):
        file.need([(1000, 2000)])


def test_random_questions_from_several_threads(tmp_path: Path) -> None:
    far = Far()
    file, path = holed(tmp_path, far)
    chance = np.random.default_rng(3)
    spans = [tuple(sorted(pair)) for pair in chance.integers(0, len(CONTENT), (200, 2)).tolist()]
    short = [(begin, min(end, begin + 3000)) for begin, end in spans]
    threads = [threading.Thread(target=_ask, args=(file, short[k::4])) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    there = path.read_bytes()
    assert all(there[begin:end] == CONTENT[begin:end] for begin, end in short)
    asked = sorted(far.asked)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(asked)), "nothing is asked twice"


def _ask(file: HoledFile, spans: Sequence[Span]) -> None:
    for span in spans:
        file.need([span])
