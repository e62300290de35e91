"""The tracker of Accelerate, which has no callbacks: records from `init_trackers` to `end_training`, and reports then.

from tensordbg.accelerate import Tracker

accelerator = Accelerator(log_with=[Tracker(every=10)])
accelerator.init_trackers("training")
...
accelerator.end_training()
"""

from __future__ import annotations

from typing import Any

from accelerate.tracking import GeneralTracker

from tensordbg.training.observed import HoldsTraining, ObservedTraining


class Tracker(HoldsTraining, GeneralTracker):  # type: ignore[misc]  # it may not be installed where types are checked
    """Records a training into a trace; under `tdbg run`, which records it already, it does nothing."""

    name = "tensordbg"
    requires_logging_directory = False
    main_process_only = False
    """Each process records itself; `tdbg why` reads them together."""

    @property
    def tracker(self) -> ObservedTraining:
        """The training; Accelerate asks for it."""
        return self.training

    def start(self) -> None:
        """Begins; `init_trackers` calls it."""
        self.training.begin()

    def log(self, values: dict[str, Any], step: int | None = None, **named: Any) -> None:
        """Takes numbers that the program logs, and leaves them to other trackers."""

    def finish(self) -> None:
        """Ends, and reports."""
        self.training.end()
