from __future__ import annotations

from tensordbg.operations.frameworks import TENSORFLOW, TORCH
from tensordbg.operations.setting_names import common_name, setting_of_kept


def test_what_two_frameworks_call_otherwise_has_one_name() -> None:
    assert common_name(TORCH, "eps") == common_name(TENSORFLOW, "epsilon") == "epsilon"
    assert common_name(TORCH, "negative_slope") == common_name(TENSORFLOW, "alpha")
    assert common_name(TENSORFLOW, "strides") == common_name(TORCH, "stride") == "stride"


def test_a_factor_of_a_sum_is_no_slope() -> None:
    assert common_name(TORCH, "alpha") == "alpha"
    assert common_name("another", "eps") == "eps"


def test_the_settings_by_which_optimizers_change_what_they_keep() -> None:
    assert setting_of_kept("momentum_buffer", multiplies=True) == "momentum"
    assert setting_of_kept("exp_avg_sq", multiplies=True) == "beta2"
    assert setting_of_kept("exp_avg_sq", multiplies=False) == "1 - beta2"
    assert setting_of_kept("weight", multiplies=True) == setting_of_kept("weight", multiplies=False) == ""
