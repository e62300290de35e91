"""Strings that were kept are read as they were written, as far as they were; whatever else lies there is refused."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tensordbg.errors import UsageError
from tensordbg.model import Health
from tensordbg.trace.raw import strings


class Kept:
    """Strings as the native log writes them."""

    def __init__(self, *texts: bytes) -> None:
        self.count = len(texts)
        self.data = b"".join(struct.pack("<Q", len(text)) for text in texts) + b"".join(texts)[: strings.MOST_TEXT]

    def read(self, begin: int, size: int) -> bytes:
        """What `ValueFiles` gives."""
        return self.data[begin : begin + size]


def objects(*texts: bytes | None) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    """An array of such elements."""
    array = np.empty(len(texts), dtype=object)
    array[:] = texts
    return array


@pytest.mark.parametrize("texts", [(), (b"",), (b"a", b"", b"\x00\xff\x00"), (b"x" * 1000, b"y")])
def test_texts_to_the_byte(texts: tuple[bytes, ...]) -> None:
    kept = Kept(*texts)
    assert strings.read_texts(kept.count, kept.read).tolist() == list(texts)


def test_what_lies_beyond_the_most_is_not_there() -> None:
    whole = b"w" * (strings.MOST_TEXT - 10)
    kept = Kept(whole, b"0123456789", b"", b"beyond", b"")
    assert strings.read_texts(kept.count, kept.read).tolist() == [whole, b"0123456789", b"", None, None]


def test_beginnings_with_lengths() -> None:
    kept = Kept(b"ab", b"c" * 100, b"", b"d", b"e")
    assert strings.first_texts(kept.count, kept.read) == [(b"ab", 2), (b"c" * 32, 100), (b"", 0), (b"d", 1)]


def test_lengths_are_a_health() -> None:
    found = strings.lengths_of(objects(b"", b"abc", b"abcde"))
    assert (found.size, found.zero, found.min, found.max, found.sum) == (3, 1, 0, 5, 8)


@pytest.mark.parametrize(
    ("recorded", "fits"),
    [
        (Health(size=2, zero=1, min=0, max=3, sum=3, sum_squares=9), True),
        (Health(size=2, min=1, max=3, sum=4), False),
        (Health(size=3, zero=1, min=0, max=3, sum=3), False),
    ],
)
def test_elements_of_other_lengths_are_no_match(recorded: Health, fits: bool) -> None:
    assert strings.fits(objects(b"", b"abc"), recorded) is fits


def test_elements_that_are_not_there_may_be_any() -> None:
    assert strings.fits(objects(b"abc", None), Health(size=2, min=3, max=9, sum=12))
    assert not strings.fits(objects(b"a", None), Health(size=2, min=3, max=9, sum=12))


def test_fixed_bytes_for_files() -> None:
    assert strings.as_fixed(objects(b"ab", b"")).tolist() == [b"ab", b""]
    with pytest.raises(UsageError, match="ends in a zero byte"):
        strings.as_fixed(objects(b"a\0"))
    with pytest.raises(UsageError, match="were not kept"):
        strings.as_fixed(objects(b"a", None))
