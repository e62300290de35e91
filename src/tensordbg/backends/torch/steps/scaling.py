"""Knows when a `GradScaler` has scaled the loss: then it looks at the gradients itself, and leaves out a step.

Overflow under a scale is how it finds the scale. Where the scale is down to 1 and gradients are bad nevertheless, it is
not the scale's doing, and no halving of it helps.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

_HARMLESS = 1.0
"""A scale that makes nothing larger."""


class Scaling:
    """The hooks into all scalers: `scale` begins what `update` ends."""

    def __init__(self) -> None:
        self._plain: dict[str, Any] = {}
        self._scalers: weakref.WeakSet[Any] = weakref.WeakSet()
        self._ended_all: Callable[[], None] = lambda: None

    def install(self, ended: Callable[[], None]) -> None:
        """Knows of every scaler from now on; calls `ended` when the gradients of a scaled loss were looked at."""
        cls = scaler_class()
        if cls is None or self._plain:
            return
        self._ended_all = ended
        self._plain = {name: getattr(cls, name) for name in ("scale", "update")}
        cls.scale = self._after(self._plain["scale"], self._began)
        cls.update = self._after(self._plain["update"], self._ended)

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        for name, plain in self._plain.items():
            setattr(scaler_class(), name, plain)
        self._plain = {}
        self._scalers.clear()

    @property
    def catches(self) -> bool:
        """Whether a scaler that is in use can still be the cause of an overflow."""
        return any(each.get_scale() > _HARMLESS for each in self._scalers)

    def _after(self, plain: Any, then: Callable[[Any], None]) -> Any:
        @functools.wraps(plain)
        def method(scaler: Any, *args: Any, **named: Any) -> Any:
            result = plain(scaler, *args, **named)
            then(scaler)
            return result

        return method

    def _began(self, scaler: Any) -> None:
        if scaler.is_enabled():
            self._scalers.add(scaler)

    def _ended(self, scaler: Any) -> None:
        self._scalers.discard(scaler)
        if scaler.is_enabled() and not self._scalers:
            self._ended_all()


def scaler_class() -> Any:
    """The class of all scalers; None where this PyTorch has none."""
    import torch

    module: ModuleType | None = getattr(torch, "amp", None)
    return getattr(module, "GradScaler", None) or getattr(torch.cuda.amp, "GradScaler", None)
