"""The callback of Lightning: records one `fit`, and reports at its end.

from tensordbg.lightning import Callback

Trainer(callbacks=[Callback(every=10)]).fit(model, data)
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensordbg.training.observed import Observation, ObservedTraining

# Two packages offer the same classes under two names, and a trainer of one refuses the callbacks of the other.
if importlib.util.find_spec("lightning") is not None:
    from lightning.pytorch.callbacks import Callback as _Base
else:
    from pytorch_lightning.callbacks import Callback as _Base

if TYPE_CHECKING:
    from tensordbg.analysis.finding import WhyResult


class Callback(_Base):  # type: ignore[misc]  # it may not be installed where types are checked
    """Records each `fit` into a trace of its own; under `tdbg run`, which records it already, it does nothing."""

    def __init__(
        self,
        out: str | Path = "tdbg-traces",
        every: int = 1,
        on_bad: str = "",
        captures: str | Path = "captures",
        attach: str = "",
    ) -> None:
        """Takes where to record and how much; see `tensordbg.keras.Callback`."""
        super().__init__()
        self.training = ObservedTraining(Observation(out, every, on_bad, captures, attach))

    @property
    def path(self) -> Path | None:
        """The trace of the last `fit`."""
        return self.training.path

    def why(self) -> WhyResult | None:
        """Where and why the numbers of the last `fit` went wrong."""
        return self.training.why()

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
