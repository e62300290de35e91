"""Reads what a capture says of its step beside the header: which modules it called with what, and its optimizer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tensordbg.capture.reader import Capture
from tensordbg.errors import CaptureError
from tensordbg.json_input import load_json
from tensordbg.opening import read_whole

_MOST_BYTES = 2**26
_COMPILED = "_orig_mod"
"""`torch.compile` has a module under this name in another."""


@dataclass(frozen=True)
class CapturedCall:
    """One call of an outermost module."""

    module: str
    """Its class, `models.Net`."""
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    variables: Mapping[str, int]
    """Numbers of its parameters and buffers, by their paths; of each module in its first call only."""
    of: int = -1
    """The number of that first call; -1 where the capture does not tell it."""

    def captured_among(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Gives the tensors among what a program calls the module with, with the numbers of those captured."""
        for told, value in zip(self.args, args, strict=False):
            yield from _paired(told, value)
        for name, told in self.kwargs.items():
            yield from _paired(told, kwargs.get(name))


@dataclass(frozen=True)
class CapturedStep:
    """The calls and the optimizer."""

    calls: tuple[CapturedCall, ...]
    optimizer: Mapping[str, Any]


def read_step(capture: Capture) -> CapturedStep:
    """Reads what a capture says of its step.

    Raises:
        CaptureError: If it is missing or damaged.
    """
    path = capture.path / "step.json"
    try:
        told = load_json(read_whole(path, _MOST_BYTES))
        optimizer = told["optimizer"]
        calls = tuple(_call(row) for row in told["calls"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CaptureError(f"{path} can't be read: {error}; take another capture") from None
    return CapturedStep(calls, optimizer if isinstance(optimizer, dict) else {})


def plain_path(path: str) -> str:
    """The path of a variable or a module, without what `torch.compile` adds."""
    return ".".join(part for part in path.split(".") if part != _COMPILED)


def _call(row: Mapping[str, Any]) -> CapturedCall:
    variables = {plain_path(path): int(number) for path, number in row.get("variables", {}).items()}
    return CapturedCall(str(row["module"]), list(row["args"]), dict(row["kwargs"]), variables, int(row.get("of", -1)))


def _paired(told: Any, value: Any) -> Iterator[tuple[int, Any]]:
    from torch import Tensor

    if not isinstance(told, dict):
        return
    number, parts, named = told.get("tensor"), told.get("list"), told.get("map")
    if isinstance(number, int) and isinstance(value, Tensor):
        yield number, value
    elif isinstance(parts, list) and isinstance(value, Sequence):
        for part, each in zip(parts, value, strict=False):
            yield from _paired(part, each)
    elif isinstance(named, dict) and isinstance(value, Mapping):
        for key, each in value.items():
            yield from _paired(named.get(str(key)), each)
