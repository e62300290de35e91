"""Which operations update a variable as an optimizer does, and at which positions they take what: beside `kinds.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True)
class Update:
    """An update of a variable by an optimizer in one operation: at which positions it takes what."""

    gradient: int
    epsilon: int = -1
    """-1 where it has none."""
    squares: bool = True
    """Whether it keeps a mean, or a sum, of the squares of gradients and divides by its root."""


UPDATES: Mapping[str, Update] = MappingProxyType(
    {
        "AdaMax": Update(8, 7, squares=False),
        "Adadelta": Update(6, 5),
        "Adagrad": Update(3),
        "AdagradDA": Update(3),
        "AdagradV2": Update(4, 3),
        "Adam": Update(9, 8),
        "AdamWithAmsgrad": Update(10, 9),
        "AddSign": Update(6, squares=False),
        "CenteredRMSProp": Update(8, 7),
        "Ftrl": Update(3),
        "FtrlV2": Update(3),
        "GradientDescent": Update(2, squares=False),
        "KerasMomentum": Update(3, squares=False),
        "Momentum": Update(3, squares=False),
        "PowerSign": Update(6, squares=False),
        "ProximalAdagrad": Update(5),
        "ProximalGradientDescent": Update(4, squares=False),
        "RMSProp": Update(7, 6),
    }
)
"""By what follows `Apply` in the type: `ApplyAdam`, `ResourceApplyAdam`, `ResourceSparseApplyAdagrad`."""


def update_of(op_type: str) -> Update | None:
    """How an operation updates a variable, None where it is none of an optimizer."""
    before, apply, name = op_type.partition("Apply")
    return UPDATES.get(name) if apply and before in ("", "Resource", "ResourceSparse", "Sparse") else None
