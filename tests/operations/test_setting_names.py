from __future__ import annotations

from tensordbg.operations.frameworks import TENSORFLOW, TORCH
from tensordbg.operations.setting_names import common_name, optimizer_settings, setting_of_kept


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


def test_settings_of_optimizers_have_one_name_in_all_frameworks() -> None:
    torch = {"lr": 0.1, "betas": (0.9, 0.99), "eps": 1e-8, "weight_decay": 0, "foreach": None, "amsgrad": False}
    keras = {"learning_rate": 0.1, "beta_1": 0.9, "beta_2": 0.99, "epsilon": 1e-8, "weight_decay": None, "name": "adam"}
    common = {"learning rate": 0.1, "beta1": 0.9, "beta2": 0.99, "epsilon": 1e-8, "weight decay": 0}
    assert optimizer_settings(torch) == {**common, "amsgrad": False}
    assert optimizer_settings(keras) == common


def test_the_momentum_of_an_average_counts_where_there_is_one() -> None:
    assert optimizer_settings({"use_ema": False, "ema_momentum": 0.9}) == {"use_ema": False}
    assert optimizer_settings({"use_ema": True, "ema_momentum": 0.9}) == {"use_ema": True, "ema_momentum": 0.9}
