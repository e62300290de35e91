"""Which runs of sessions count: those that a wrapper or a hook has announced in their thread."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from tensordbg.recording.runs import DebuggedCall


class ChosenRuns(threading.local):
    """A run is announced, and the next one of the thread is it: sessions inside sessions do not matter."""

    announced = False

    def choose(self, fetches: Any, feed_dict: Any) -> None:  # noqa: ARG002  not asked for here
        """The next run of this thread counts."""
        self.announced = True

    def forget(self) -> None:
        """It does not any more."""
        self.announced = False

    def take(self, run: DebuggedCall) -> bool:
        """Whether a run counts that is about to be made."""
        announced, self.announced = self.announced and run.by_session, False
        return announced


def checked_folder(given: str, name: str) -> Path:
    """A folder that is to be written into, in the words of the old wrappers.

    Raises:
        ValueError: If it is a file, or not empty.
    """
    folder = Path(given).expanduser()
    if folder.is_file():
        message = f"{name} path points to a file: {folder}"
        raise ValueError(message)
    if folder.is_dir() and any(folder.iterdir()):
        message = f"{name} path points to a non-empty directory: {folder}"
        raise ValueError(message)
    return folder
