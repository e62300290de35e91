"""Padding as numbers, whichever way a framework says it."""

from __future__ import annotations

import pytest

from tensordbg.analysis.diff.padding import around, spatial_sizes


@pytest.mark.parametrize(
    ("padding", "stride", "size", "expected"),
    [
        ("SAME", 2, 8, [0, 1]),
        ("SAME", 2, 9, [1, 1]),
        ("SAME", 1, 8, [1, 1]),
        ("VALID", 2, 8, [0, 0]),
        ([1], 2, 8, [1, 1]),
    ],
)
def test_zeros_in_front_and_behind(padding: object, stride: int, size: int, expected: list[int]) -> None:
    assert around(padding, [stride], None, ([size], [3])) == [expected]


def test_a_dilated_kernel_is_wider() -> None:
    assert around("SAME", [1, 1], [2, 1], ([8, 8], [3, 3])) == [[2, 2], [1, 1]]


def test_what_is_not_known_stays() -> None:
    assert around("SAME", [2], None, None) == "SAME"
    assert around("EXPLICIT", [2], None, ([8], [3])) == "EXPLICIT"


def test_input_and_kernel_are_known_by_their_channels() -> None:
    assert spatial_sizes((2, 4, 4, 6), [(3, 3, 5, 6), (2, 8, 9, 5)], "NHWC") == ([8, 9], [3, 3])
    assert spatial_sizes((2, 6, 4, 4), [(2, 5, 8, 7), (3, 3, 5, 6)], "NCHW") == ([8, 7], [3, 3])
    assert spatial_sizes((2, 4, 4, 6), [(2, 8, 8, 5)], "NHWC") is None
