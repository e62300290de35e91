"""The names of settings across frameworks: what one calls `eps`, another calls `epsilon`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tensordbg.operations.frameworks import TENSORFLOW, TORCH

_COMMON: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        TENSORFLOW: {
            "alpha": "slope",
            "strides": "stride",
            "dilations": "dilation",
            "exponential_avg_factor": "momentum",
            "is_training": "training",
        },
        TORCH: {"eps": "epsilon", "dim": "axis", "negative_slope": "slope", "keepdim": "keep_dims"},
    }
)

_KEPT: Mapping[str, str] = MappingProxyType(
    {
        "momentum_buffer": "momentum",
        "momentum": "momentum",
        "exp_avg": "beta1",
        "exp_avg_sq": "beta2",
        "exp_inf": "beta2",
        "square_avg": "alpha",
        "acc_delta": "rho",
    }
)
"""What an optimizer keeps beside a parameter, and the setting by which that shrinks in each step."""


def setting_of_kept(name: str, *, multiplies: bool) -> str:
    """Returns the setting that a number is by which an optimizer changes what it keeps; empty where none is known.

    Args:
        name: What it keeps, such as `exp_avg`.
        multiplies: Whether it multiplies that by the number; else the number weighs what is added.
    """
    known = _KEPT.get(name, "")
    if multiplies or not known:
        return known
    return "dampening" if known == "momentum" else f"1 - {known}"


def common_name(framework: str, name: str) -> str:
    """Returns the name under which a setting of one framework's operation is compared with another's."""
    return _COMMON.get(framework, {}).get(name, name)
