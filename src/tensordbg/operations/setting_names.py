"""The names of settings across frameworks: what one calls `eps`, another calls `epsilon`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
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

RATE = "learning rate"
_OF_OPTIMIZERS: Mapping[str, str] = MappingProxyType(
    {
        "lr": RATE,
        "learning_rate": RATE,
        "beta_1": "beta1",
        "beta_2": "beta2",
        "eps": "epsilon",
        "weight_decay": "weight decay",
    }
)
_NOT_USED: Mapping[str, object] = MappingProxyType({"dampening": 0, "maximize": False, "nesterov": False})
"""Settings that only one framework has, or some optimizers, and what they are where they change nothing."""
_ONE_NAME: Mapping[str, str] = MappingProxyType({"rho": "alpha"})
"""The name of a setting in one framework, and in another whose optimizer of that kind has none of the first name."""
_MOST_BETAS = 3
_OF_NO_NUMBERS = frozenset(
    {
        *("name", "built", "foreach", "fused", "capturable", "differentiable", "initial_lr", "ema_overwrite_frequency"),
        *("base_momentum", "max_momentum", "min_momentum", "max_lr", "min_lr", "decoupled_weight_decay", "jit_compile"),
        *("swa_lr", "use_closure_return", "is_legacy_optimizer"),
    }
)
"""Attributes of optimizers that say how something is computed, or what a schedule starts from, and not what."""

_BASES: Mapping[str, int] = MappingProxyType({"aten::log2": 2, "aten::log10": 10})
"""Logarithms that are not natural ones."""

LEFT_OUT, BY_FREQUENCY = "padding_idx", "scale_grad_by_freq"
"""Settings of lookups that say how the gradient of the table is taken: no operation of another framework has them."""

_CORRECTED = "before the bias is corrected", "behind the correction of the bias"
_PLACES_OF_EPSILON: Mapping[str, tuple[str, str]] = {
    "adam": _CORRECTED, "adamw": _CORRECTED, "rmsprop": ("inside the root", "outside the root"),
}  # fmt: skip
"""By optimizers where Keras adds the epsilon, and where PyTorch does."""


@dataclass(frozen=True)
class LookupSettings:
    """How the gradient of a table is taken whose rows are looked up."""

    left_out: int | None = None
    """The row that has none."""
    by_frequency: bool = False
    """Whether that of each row is divided by how often it was looked up."""


def lookup_settings(told: Mapping[str, object]) -> LookupSettings:
    """Returns how the gradient is taken of the table of a lookup, by the attributes of its operation."""
    row = told.get(LEFT_OUT)
    return LookupSettings(row if isinstance(row, int) and row >= 0 else None, told.get(BY_FREQUENCY) is True)


def optimizer_settings(told: Mapping[str, object]) -> dict[str, object]:
    """Returns the settings of an optimizer by the names under which they are compared; what is not used is 0.

    Args:
        told: The settings by the names that the framework has for them.
    """
    found: dict[str, object] = {}
    for name, value in told.items():
        if name == "betas" and isinstance(value, tuple) and len(value) <= _MOST_BETAS:
            found |= {f"beta{place}": each for place, each in enumerate(value, 1)}
        elif name not in _OF_NO_NUMBERS:
            found[_OF_OPTIMIZERS.get(name, name)] = 0 if value is None else value
    if not found.get("use_ema"):
        found.pop("ema_momentum", None)
    return found


def place_of_rate(frameworks: Collection[str]) -> str:
    """Returns where an optimizer with a momentum multiplies by the rate: what it keeps holds that of each step, or not.

    The two are the same as long as the rate is.
    """
    return "before the momentum" if TENSORFLOW in frameworks else "behind the momentum"


def place_of_epsilon(optimizer: str, frameworks: Collection[str]) -> str:
    """Returns where an optimizer of a kind adds its epsilon; empty where its frameworks do it alike.

    Keras's Adam has the epsilon of the paper's second formula: in the first steps it counts for up to 30 times as much.
    """
    places = _PLACES_OF_EPSILON.get(optimizer.casefold())
    return "" if places is None else places[TENSORFLOW not in frameworks]


def comparable_settings(a: Mapping[str, object], b: Mapping[str, object]) -> Mapping[str, tuple[object, object]]:
    """Returns the settings of two optimizers that both have, or that one has and the other does without."""
    a, b = _named_alike(a, b), _named_alike(b, a)
    default = {name: value for name, value in _NOT_USED.items() if name in a or name in b}
    a, b = {**default, **a}, {**default, **b}
    return {name: (a[name], b[name]) for name in a if name in b}


def _named_alike(mine: Mapping[str, object], theirs: Mapping[str, object]) -> Mapping[str, object]:
    """Returns settings under the names that the other optimizer has for them."""
    return {
        _ONE_NAME[name] if name in _ONE_NAME and name not in theirs and _ONE_NAME[name] in theirs else name: value
        for name, value in mine.items()
    }


def complete_pooling(told: Mapping[str, object]) -> dict[str, object]:
    """Returns the settings of a pooling with those that it goes by without being told, and none that change nothing.

    One framework has words for the padding: `SAME` counts no zeros, `VALID` leaves out what fills no window. Another
    has a stride of the window's size where it is given none.
    """
    found, padding = dict(told), told.get("padding")
    if padding == "SAME":
        found["count_include_pad"] = False
    elif padding == "VALID":
        found["ceil_mode"] = False
    elif isinstance(padding, (list, tuple)) and not any(padding):
        found.pop("count_include_pad", None)
    if found.get("stride") == [] and "kernel_size" in found:
        found["stride"] = found["kernel_size"]
    return found


def base_of(op_type: str) -> int | str:
    """Returns the base of a logarithm."""
    return _BASES.get(op_type, "e")


def with_window(told: Mapping[str, object]) -> dict[str, object]:
    """Returns the settings of a pooling with its window by one name, without the rows and channels that one tells."""
    window = told.get("ksize")
    found = {name: value for name, value in told.items() if name != "ksize"}
    return found if not isinstance(window, list) else {**found, "kernel_size": window[1:-1]}


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
