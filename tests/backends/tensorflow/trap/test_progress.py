from __future__ import annotations

import contextlib
from typing import Any

import keras
import numpy as np

from tensordbg.backends.tensorflow.trap.progress import Progress


def test_epoch_and_batch_are_known_inside_of_fit_alone() -> None:
    progress = Progress(lambda _: contextlib.nullcontext())
    seen = []

    class Asking(keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            seen.append(progress.reached)

    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile(loss="mse", run_eagerly=True)
    x = np.ones((4, 2), np.float32)
    progress.install()
    model.fit(x, x[:, :1], batch_size=2, epochs=2, verbose=0, callbacks=[Asking()])
    assert seen == [{"epoch": epoch, "batch": batch} for epoch in "12" for batch in "12"]
    assert progress.reached == {}
    progress.uninstall()
    model.fit(x, x[:, :1], verbose=0, callbacks=[Asking()])
    assert seen[-1] == {}
