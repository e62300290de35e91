"""The trap as a callback of Keras, and what a capture knows of the training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import tensordbg.tensorflow
from tensordbg.capture.reader import open_capture

BAD_ROW = 21


def model_and_data() -> tuple[Any, np.ndarray]:
    keras.utils.set_random_seed(0)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5), keras.layers.Dense(1)])
    model.compile(optimizer="sgd", loss="mse", jit_compile=False)
    x = np.random.default_rng(0).normal(size=(32, 4)).astype(np.float32)
    return model, x


def test_one_fit_is_trapped_also_of_a_model_that_was_trained_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, x = model_and_data()
    fit = {"batch_size": 4, "verbose": 0, "shuffle": False}
    model.fit(x, x[:, :1], **fit)
    bad = x.copy()
    bad[BAD_ROW] = np.inf
    callback = tensordbg.tensorflow.TrapCallback(tmp_path, on_bad="skip")
    model.fit(bad, x[:, :1], epochs=2, callbacks=[callback], **fit)
    headers = [open_capture(path).header for path in callback.captures]
    assert [header.extra for header in headers] == [{"epoch": "1", "batch": "6"}, {"epoch": "2", "batch": "6"}]
    assert "(epoch 2, batch 6): " in capsys.readouterr().err
    assert all(np.isfinite(np.asarray(each)).all() for each in model.variables)
    model.fit(bad, x[:, :1], **fit)
    assert len(callback.captures) == 2
    assert not np.isfinite(np.asarray(model.variables[0])).all()


def test_the_training_ends_with_the_weights_before_the_step(tmp_path: Path) -> None:
    model, x = model_and_data()
    plain, _ = model_and_data()
    plain.fit(x[:20], x[:20, :1], batch_size=4, verbose=0, shuffle=False)
    x[BAD_ROW] = np.nan
    callback = tensordbg.tensorflow.TrapCallback(tmp_path)
    with pytest.raises(Exception, match=r"step 5 of one_step_on_data \(epoch 1, batch 6\): the loss is not finite"):
        model.fit(x, x[:, :1], batch_size=4, verbose=0, shuffle=False, callbacks=[callback])
    for mine, theirs in zip(model.weights, plain.weights, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), np.asarray(theirs))
