"""Steps that a `GradScaler` takes: where gradients are bad it leaves the optimizer uncalled, whatever made them bad.

A loss that was bad before it was scaled is no overflow, and neither is one under a scale that makes nothing larger.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensordbg.backends.torch.steps.scaling import scaler_class

_HARMLESS = 1.0
"""A scale that makes nothing larger."""

_MOST = 64


class ScaledSteps:
    """The hooks into all scalers: `scale` is given the loss, `step` may leave out the optimizer's."""

    def __init__(self, left_out: Callable[[Any, list[Any], bool], None]) -> None:
        """Prepares.

        Args:
            left_out: Called behind a `step` in which nobody looked at the gradients, with the optimizer, the losses
                before they were scaled, and whether the scale may have made them bad.
        """
        self._left_out = left_out
        self._plain: dict[str, Any] = {}
        self._losses: list[Any] = []
        self.looked_at = False
        """Whether the step that is under way has been tested; whoever tests it says so."""
        self.stepped = False
        """Whether it has called the optimizer's."""

    def install(self) -> None:
        """Looks at the steps of every scaler from now on."""
        cls = scaler_class()
        if cls is None or self._plain:
            return
        self._plain = {name: getattr(cls, name) for name in ("scale", "step", "update")}
        cls.scale, cls.step, cls.update = self._scale(), self._step(), self._update()

    def uninstall(self) -> None:
        """Takes the hooks out again."""
        for name, plain in self._plain.items():
            setattr(scaler_class(), name, plain)
        self._plain = {}
        self._losses.clear()

    def _scale(self) -> Any:
        plain = self._plain["scale"]

        @functools.wraps(plain)
        def scale(scaler: Any, outputs: Any) -> Any:
            if scaler.is_enabled() and hasattr(outputs, "detach") and outputs.numel() == 1:
                self._losses.append(outputs.detach())
                del self._losses[:-_MOST]
            return plain(scaler, outputs)

        return scale

    def _step(self) -> Any:
        plain = self._plain["step"]

        @functools.wraps(plain)
        def step(scaler: Any, optimizer: Any, *args: Any, **named: Any) -> Any:
            self.looked_at = self.stepped = False
            result = plain(scaler, optimizer, *args, **named)
            if scaler.is_enabled() and not self.looked_at:
                self._left_out(optimizer, list(self._losses), scaler.get_scale() > _HARMLESS)
            return result

        return step

    def _update(self) -> Any:
        plain = self._plain["update"]

        @functools.wraps(plain)
        def update(scaler: Any, *args: Any, **named: Any) -> Any:
            self._losses.clear()
            return plain(scaler, *args, **named)

        return update
