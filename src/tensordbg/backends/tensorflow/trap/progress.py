"""How far a training with Keras has come, for what is said of a bad step."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from tensordbg.backends.tensorflow.methods import KERAS_CALLBACKS, Method, ReplacedMethods


class Progress:
    """The epoch and the batch under way, as Keras tells its callbacks, while it is installed."""

    def __init__(self, guard: Callable[[str], AbstractContextManager[None]]) -> None:
        """`guard` runs code of ours inside the program."""
        self._methods = ReplacedMethods(guard)
        self._reached: dict[str, str] = {}

    @property
    def reached(self) -> dict[str, str]:
        """`epoch` and `batch`, counted from 1 as Keras prints them; empty outside of `fit`."""
        return dict(self._reached)

    def install(self) -> None:
        """Looks on from now on."""
        self._methods.install(
            Method(KERAS_CALLBACKS, "CallbackList.on_epoch_begin", self._in_epoch),
            Method(KERAS_CALLBACKS, "CallbackList.on_train_batch_begin", self._in_batch),
            Method(KERAS_CALLBACKS, "CallbackList.on_train_end", self._at_end),
        )

    def uninstall(self) -> None:
        """Looks on no longer."""
        self._methods.uninstall()

    def _in_epoch(self, plain: Any) -> Any:
        def on_epoch_begin(callbacks: Any, epoch: Any, *args: Any, **kwargs: Any) -> Any:
            self._reached = {"epoch": str(int(epoch) + 1)}
            return plain(callbacks, epoch, *args, **kwargs)

        return on_epoch_begin

    def _in_batch(self, plain: Any) -> Any:
        def on_train_batch_begin(callbacks: Any, batch: Any, *args: Any, **kwargs: Any) -> Any:
            self._reached["batch"] = str(int(batch) + 1)
            return plain(callbacks, batch, *args, **kwargs)

        return on_train_batch_begin

    def _at_end(self, plain: Any) -> Any:
        def on_train_end(callbacks: Any, *args: Any, **kwargs: Any) -> Any:
            self._reached = {}
            return plain(callbacks, *args, **kwargs)

        return on_train_end
