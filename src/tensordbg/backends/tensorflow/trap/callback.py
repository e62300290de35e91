"""The trap as a callback of Keras."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import keras

from tensordbg.trapping.session import Trap, TrapOptions, trap

if TYPE_CHECKING:
    from typing_extensions import Unpack


class TrapCallback(keras.callbacks.Callback):  # type: ignore[misc]  # Keras comes without types
    """Sets a trap for one `fit`: each step is tested before it writes anything, and a bad one is captured.

    A model that was trained before is traced again, as a step without a trap can't be tested. Where a bad step ends
    `fit`, which tells its callbacks nothing of that, the trap stays set until another is.
    """

    def __init__(self, folder: str | Path = "captures", on_bad: str = "stop", **options: Unpack[TrapOptions]) -> None:
        """Takes what `tensordbg.trap` takes.

        Args:
            folder: Where captures go.
            on_bad: `stop`, `skip` or `record`.
            **options: See `tensordbg.trapping.session.TrapOptions`.
        """
        super().__init__()
        self._wanted = (folder, on_bad, options)
        self._trap: Trap | None = None

    @property
    def captures(self) -> list[Path]:
        """The captures that were made in the last training."""
        return [] if self._trap is None else self._trap.captures

    def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002  given by Keras
        """Sets the trap."""
        folder, on_bad, options = self._wanted
        self.model.train_function = None
        self._trap = trap(folder, on_bad, **options)
        self.model.make_train_function()

    def on_train_end(self, logs: Any = None) -> None:  # noqa: ARG002  given by Keras
        """Takes the trap away."""
        if self._trap is not None:
            self._trap.stop()
