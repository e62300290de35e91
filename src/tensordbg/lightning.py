"""The callback of Lightning: records one `fit`, and reports at its end.

from tensordbg.lightning import Callback

Trainer(callbacks=[Callback(every=10)]).fit(model, data)
"""

from __future__ import annotations

import importlib.util
from typing import Any

from tensordbg.training.observed import HoldsTraining

# Two packages offer the same classes under two names, and a trainer of one refuses the callbacks of the other.
if importlib.util.find_spec("lightning") is not None:
    from lightning.pytorch.callbacks import Callback as _Base
else:
    from pytorch_lightning.callbacks import Callback as _Base


class Callback(HoldsTraining, _Base):  # type: ignore[misc]  # it may not be installed where types are checked
    """Records each `fit` into a trace of its own; under `tdbg run`, which records it already, it does nothing."""

    def setup(self, trainer: Any, pl_module: Any, stage: str) -> None:  # noqa: ARG002  given by Lightning
        """Begins before the first batch of the sanity check."""
        if stage == "fit":
            self.training.begin()

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:  # noqa: ARG002  given by Lightning
        """Ends, and reports."""
        if stage == "fit":
            self.training.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:  # noqa: ARG002
        """Ends, and reports, where an error ends the training."""
        self.training.end()
