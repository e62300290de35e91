"""The callback of Keras: records one `fit`, and reports at its end.

from tensordbg.keras import Callback

model.fit(x, y, callbacks=[Callback(every=10)])
"""

from __future__ import annotations

from typing import Any

import keras

from tensordbg.training.observed import HoldsTraining


class Callback(HoldsTraining, keras.callbacks.Callback):  # type: ignore[misc]  # Keras comes without types
    """Records each `fit` into a trace of its own; under `tdbg run`, which records it already, it does nothing."""

    def on_train_begin(self, logs: Any = None) -> None:  # noqa: ARG002  given by Keras
        """Begins."""
        if self.training.traps:
            # A step that was traced before can't be tested.
            self.model.train_function = None
        self.training.begin()
        if self.training.traps:
            self.model.make_train_function()

    def on_train_end(self, logs: Any = None) -> None:  # noqa: ARG002  given by Keras
        """Ends, and reports."""
        self.training.end()
