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


def common_name(framework: str, name: str) -> str:
    """Returns the name under which a setting of one framework's operation is compared with another's."""
    return _COMMON.get(framework, {}).get(name, name)
