"""The operations that a replay runs: those of which it is known that they do nothing but compute.

A capture may come from a stranger. An operation must be one of PyTorch's own, take and give nothing but tensors and
plain values, and reach no file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tensordbg.backends.torch.captured.graph import Operation
from tensordbg.capture.reader import Capture
from tensordbg.enumeration import first_few
from tensordbg.errors import CaptureError

_NAME = re.compile(r"aten::([A-Za-z0-9_]+)\Z")
_OVERLOAD = re.compile(r"[A-Za-z0-9_]*\Z")
_PLAIN = re.compile(
    r"(?:Optional\[)?(?:List\[)?(?:Optional\[)?"
    r"(?:Tensor|bool|int|float|complex|number|str|Device|Generator|ScalarType|Layout|MemoryFormat|SymInt|QScheme)\]*\Z"
)
"""The types of what such an operation takes and gives."""

_REFUSED = frozenset({"from_file", "save", "warn", "record_stream", "pin_memory", "_pin_memory", "set_", "as_strided_"})
_REFUSED_BEGINNINGS = ("_print", "_test", "_assert", "_sparse", "_nested", "cuda", "_cuda")


@dataclass(frozen=True)
class Operator:
    """An operation of PyTorch's, ready to be called."""

    overload: Any
    """What PyTorch calls so; it is called with the arguments."""
    arguments: tuple[Any, ...]
    """Those of its schema."""

    @property
    def writes(self) -> frozenset[int]:
        """The places of the arguments that it writes."""
        return frozenset(
            place
            for place, each in enumerate(self.arguments)
            if each.alias_info is not None and each.alias_info.is_write
        )


def operators_of(capture: Capture, operations: Iterable[Operation]) -> dict[tuple[str, str], Operator]:
    """The operations of a step, by name and overload.

    Raises:
        CaptureError: If one is not known to do nothing but compute, or this PyTorch has it not.
    """
    found: dict[tuple[str, str], Operator] = {}
    refused: dict[str, None] = {}
    for each in operations:
        key = (each.name, each.overload)
        if key in found:
            continue
        operator = _operator(*key)
        if operator is None:
            refused[f"{each.name}.{each.overload}" if each.overload else each.name] = None
        else:
            found[key] = operator
    if refused:
        raise CaptureError(
            f"{capture.path} would run {first_few(list(refused), 5)}, of which it is not known here that it only "
            "computes; replay it with the PyTorch of the capture, or record its program with `tdbg run`"
        )
    return found


def _operator(name: str, overload: str) -> Operator | None:
    import torch

    known = _NAME.match(name)
    if (
        known is None
        or not _OVERLOAD.match(overload)
        or known[1] in _REFUSED
        or known[1].startswith(_REFUSED_BEGINNINGS)
    ):
        return None
    try:
        # What the dispatcher has not is an operation of TorchScript's, which may do anything.
        if not torch._C._dispatch_has_kernel(f"{name}.{overload}" if overload else name):  # noqa: SLF001
            return None
        call = getattr(getattr(torch.ops.aten, known[1]), overload or "default")
    except (AttributeError, RuntimeError):
        return None
    schema = call._schema  # noqa: SLF001  what torch.ops calls its own
    types = [each.real_type for each in (*schema.arguments, *schema.returns)]
    if not all(_PLAIN.match(str(each)) for each in types):
        return None
    return Operator(call, tuple(schema.arguments))
