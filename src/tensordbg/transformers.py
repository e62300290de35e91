"""The callback of Transformers' Trainer: records one `train`, and reports at its end.

from tensordbg.transformers import Callback

Trainer(model, arguments, train_dataset=data, callbacks=[Callback(every=10)]).train()
"""

from __future__ import annotations

from typing import Any

from transformers import TrainerCallback

from tensordbg.training.observed import HoldsTraining


class Callback(HoldsTraining, TrainerCallback):  # type: ignore[misc]  # it may not be installed where types are checked
    """Records each `train` into a trace of its own; under `tdbg run`, which records it already, it does nothing."""

    def on_train_begin(self, *given: Any, **named: Any) -> None:  # noqa: ARG002  given by the trainer
        """Begins."""
        self.training.begin()

    def on_train_end(self, *given: Any, **named: Any) -> None:  # noqa: ARG002  given by the trainer
        """Ends, and reports."""
        self.training.end()
