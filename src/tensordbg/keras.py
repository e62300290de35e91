"""The callback of Keras: records one `fit`, and reports at its end.

from tensordbg.keras import Callback

model.fit(x, y, callbacks=[Callback(every=10)])
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import keras

from tensordbg.training.observed import Observation, ObservedTraining

if TYPE_CHECKING:
    from tensordbg.analysis.finding import WhyResult


class Callback(keras.callbacks.Callback):  # type: ignore[misc]  # Keras comes without types
    """Records each `fit` into a trace of its own; under `tdbg run`, which records it already, it does nothing."""

    def __init__(
        self,
        out: str | Path = "tdbg-traces",
        every: int = 1,
        on_bad: str = "",
        captures: str | Path = "captures",
        attach: str = "",
    ) -> None:
        """Takes where to record and how much.

        Args:
            out: The folder in which a new trace is made.
            every: Record one step in so many of each function.
            on_bad: Also trap steps that go wrong: `stop`, `skip` or `record` as of `tensordbg.trap`; empty for no trap.
            captures: Where a trap keeps bad steps.
            attach: Attach the findings to the active run of `wandb` or `mlflow`, see `tensordbg.attach`.

        Raises:
            UsageError: If `on_bad` or `attach` is no such word.
        """
        super().__init__()
        self._options = Observation(out, every, on_bad, captures, attach)
        self.training = ObservedTraining(self._options)

    @property
    def path(self) -> Path | None:
        """The trace of the last `fit`."""
        return self.training.path

    def why(self) -> WhyResult | None:
        """Where and why the numbers of the last `fit` went wrong."""
        return self.training.why()

    def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002  given by Keras
        """Begins."""
        if self._options.on_bad:
            # A step that was traced before can't be tested.
            self.model.train_function = None
        self.training.begin()
        if self._options.on_bad:
            self.model.make_train_function()

    def on_train_end(self, logs: Any = None) -> None:  # noqa: ARG002  given by Keras
        """Ends, and reports."""
        self.training.end()
