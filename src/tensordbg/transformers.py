"""The callback of Transformers' Trainer: records one `train`, and reports at its end.

from tensordbg.transformers import Callback

Trainer(model, arguments, train_dataset=data, callbacks=[Callback(every=10)]).train()
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from tensordbg.training.observed import Observation, ObservedTraining

if TYPE_CHECKING:
    from tensordbg.analysis.finding import WhyResult


class Callback(TrainerCallback):  # type: ignore[misc]  # it may not be installed where types are checked
    """Records each `train` into a trace of its own; under `tdbg run`, which records it already, it does nothing."""

    def __init__(
        self,
        out: str | Path = "tdbg-traces",
        every: int = 1,
        on_bad: str = "",
        captures: str | Path = "captures",
        attach: str = "",
    ) -> None:
        """Takes where to record and how much; see `tensordbg.keras.Callback`."""
        self.training = ObservedTraining(Observation(out, every, on_bad, captures, attach))

    @property
    def path(self) -> Path | None:
        """The trace of the last `train`."""
        return self.training.path

    def why(self) -> WhyResult | None:
        """Where and why the numbers of the last `train` went wrong."""
        return self.training.why()

    def on_train_begin(self, *given: Any, **named: Any) -> None:  # noqa: ARG002  given by the trainer
        """Begins."""
        self.training.begin()

    def on_train_end(self, *given: Any, **named: Any) -> None:  # noqa: ARG002  given by the trainer
        """Ends, and reports."""
        self.training.end()
