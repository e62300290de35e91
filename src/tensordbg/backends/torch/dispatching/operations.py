"""Tells by an operation's schema which arguments it writes, and what its outputs hold."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any, NamedTuple

_UNWRITTEN = (
    *("aten::empty", "aten::new_empty", "aten::_empty", "aten::resize", "aten::_resize"),
    "aten::_efficientzerotensor",
)
_OVERWRITES = frozenset(
    f"aten::{name}"
    for name in (
        *("copy_", "fill_", "zero_", "normal_", "uniform_", "random_", "bernoulli_", "exponential_", "log_normal_"),
        *("cauchy_", "geometric_", "eye_", "set_", "resize_", "resize_as_", "_resize_output_"),
    )
)
_REARRANGES = frozenset(
    f"aten::{name}"
    for name in (
        *("lift_fresh", "detach_", "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_"),
        *("as_strided_", "requires_grad_"),
    )
)
_UPDATES_STATISTICS = frozenset(
    f"aten::{name}"
    for name in (
        *("native_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update", "cudnn_batch_norm"),
        "miopen_batch_norm",
    )
)
"""Batch normalizations write their statistics, of which only some overloads tell in their schema."""
_OF_EACH = ("aten::_foreach_", "aten::_fused_", "aten::_amp_foreach_")
_NUMBERS = frozenset({"self", "other", "exponent", "value", "fill_value", "scalar", "s"})
_count = count(1)
_BOUNDS = frozenset({"min", "max", "min_val", "max_val"})
_COMPARES = frozenset(f"aten::{name}" for name in ("eq", "ne", "lt", "le", "gt", "ge"))
"""Operations that hold their elements against numbers: what they give is not made of these."""


class Argument(NamedTuple):
    """An argument, and how an operation uses it."""

    name: str
    writes: bool
    reads: bool
    """Whether the old elements matter."""
    is_number: bool
    """Whether a number there is computed with, and no setting."""
    is_limit: bool
    """Whether such a number is a limit, or compared with, so that nothing of it goes on."""
    keeps: bool
    """Whether what it writes there, where it is asked to compute as while it learns, is nothing that it returns."""


class Operation(NamedTuple):
    """An operation, named as `aten::log`."""

    name: str
    arguments: tuple[Argument, ...]
    gives: int
    """How many values it returns."""
    unwritten: bool
    """Whether its outputs hold whatever was in their memory."""
    arrives_later: bool
    """Whether it returns before its outputs are there."""
    enters: bool
    """Whether it is how what Python holds becomes a tensor."""
    rearranges: bool
    """Whether it changes a tensor's shape or flags, and none of its elements."""
    rebinds: bool
    """Whether it gives a tensor other memory."""
    copies: bool
    """Whether its outputs hold the elements of an input."""
    first_only: bool
    """Whether its other outputs are how its gradient works, with elements that nobody has written."""
    of_each: bool
    """Whether it does the same with each of a list, and nothing with several."""
    hands_out: bool
    """Whether it gives a number to Python."""
    is_view: bool
    """Whether all that it gives are views."""
    number: int
    """Tells it from others in this process."""


@cache
def operation_of(function: Any) -> Operation:
    """The operation that an overload of PyTorch's is."""
    schema = function._schema  # noqa: SLF001  it has no public name in any version
    name = str(schema.name)
    rearranges, unwritten = name in _REARRANGES, name.startswith(_UNWRITTEN)
    arguments = tuple(_argument(each, name, rearranges) for each in schema.arguments)
    returned = [each.alias_info for each in schema.returns]
    views = bool(returned) and all(each is not None and not each.is_write for each in returned)
    later = name.startswith(("c10d::", "_c10d_functional::")) and name != "_c10d_functional::wait_tensor"
    hands_out, of_each = name in ("aten::_local_scalar_dense", "aten::equal"), name.startswith(_OF_EACH)
    special = unwritten or later or rearranges or name == "aten::set_" or hands_out or of_each
    return Operation(
        name,
        arguments,
        len(returned),
        unwritten=unwritten,
        arrives_later=later,
        enters=name in ("aten::lift_fresh", "aten::detach_"),
        rearranges=rearranges,
        rebinds=name == "aten::set_",
        copies=name in ("aten::clone", "aten::_to_copy", "aten::copy_"),
        first_only=name == "aten::_ctc_loss",
        of_each=of_each,
        hands_out=hands_out,
        is_view=views and not special and not any(each.writes for each in arguments),
        number=next(_count),
    )


def _argument(argument: Any, operation: str, rearranges: object) -> Argument:
    alias, only_named = argument.alias_info, bool(argument.kwarg_only)
    name, kind = str(argument.name), str(argument.type)
    keeps = operation in _UPDATES_STATISTICS and name in ("running_mean", "running_var")
    written = keeps or (alias is not None and bool(alias.is_write) and not rearranges)
    return Argument(
        name,
        written,
        reads=not written or not (only_named or operation in _OVERWRITES),
        is_number=(kind == "number" and not only_named and name in _NUMBERS)
        or name in _BOUNDS
        or kind in ("Tensor", "Optional[Tensor]"),  # a number of the text goes where a tensor could
        is_limit=name in _BOUNDS or operation in _COMPARES,
        keeps=keeps,
    )
