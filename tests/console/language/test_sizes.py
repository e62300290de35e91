from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensordbg.console.language.functions import FUNCTIONS
from tensordbg.console.language.sizes import _SIZES, check_call, check_together
from tensordbg.errors import UsageError

LARGE = 10**9


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("zeros", [LARGE]),
        ("ones", [(10**5, 10**5)]),
        ("full", [[LARGE], 1.0]),
        ("eye", [10**5]),
        ("identity", [10**5]),
        ("arange", [LARGE]),
        ("arange", [0, 1, 1e-10]),
        ("linspace", [0, 1, LARGE]),
        ("logspace", [0, 1, LARGE]),
        ("outer", [np.zeros(10**5), np.zeros(10**5)]),
        ("kron", [np.zeros(10**5), np.zeros(10**5)]),
        ("tile", [np.zeros(10), LARGE]),
        ("repeat", [np.zeros(10), LARGE]),
        ("bincount", [np.array([LARGE])]),
        ("pad", [np.zeros((3, 3)), 10**5]),
        ("broadcast_to", [0, (10**5, 10**5)]),
    ],
)
def test_results_that_are_too_large_are_refused_before_they_are_computed(name: str, given: list[Any]) -> None:
    with pytest.raises(UsageError, match="elements, and at most 50,000,000 may be; compute with a slice"):
        check_call(name, given, {})


def test_small_ones_are_computed() -> None:
    check_call("zeros", [(2, 3)], {})
    check_call("arange", [3], {})
    check_call("sum", [np.zeros(3)], {})
    check_together(np.zeros((3, 1)), np.zeros(4), 1.0)


def test_what_is_spread_counts_as_it_will_be() -> None:
    with pytest.raises(UsageError, match="10,000,000,000 elements, and at most 50,000,000 may be"):
        check_together(np.zeros((10**5, 1)), np.zeros(10**5))


def test_only_functions_that_there_are_have_a_size() -> None:
    assert set(_SIZES) <= set(FUNCTIONS)


@pytest.mark.parametrize("name", ["split", "histogram", "fft.rfft", "round"])
def test_how_often_something_is_done_is_bounded(name: str) -> None:
    check_call(name, [np.zeros(3), 2], {})
    with pytest.raises(UsageError, match="is given 1000000000, and at most 10,000,000 may be"):
        check_call(name, [np.zeros(3)], {"n": LARGE})


def test_a_large_tensor_may_be_computed_with() -> None:
    check_together(np.broadcast_to(np.float32(1), (10**5, 10**4)), 2.0)
