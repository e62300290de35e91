from __future__ import annotations

from tensordbg.operations.frameworks import TENSORFLOW, TORCH
from tensordbg.operations.setting_names import common_name


def test_what_two_frameworks_call_otherwise_has_one_name() -> None:
    assert common_name(TORCH, "eps") == common_name(TENSORFLOW, "epsilon") == "epsilon"
    assert common_name(TORCH, "negative_slope") == common_name(TENSORFLOW, "alpha")
    assert common_name(TENSORFLOW, "strides") == common_name(TORCH, "stride") == "stride"


def test_a_factor_of_a_sum_is_no_slope() -> None:
    assert common_name(TORCH, "alpha") == "alpha"
    assert common_name("another", "eps") == "eps"
