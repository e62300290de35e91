from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.trace.folders.runs import find_run
from tensordbg.trace.program.optimizers import OptimizerSettings
from tensordbg.trace.reader import open_trace


def recorded(folder: Path, optimizer: Any, eager: bool) -> tuple[Any, tuple[OptimizerSettings, ...]]:
    weight = tf.Variable(np.ones(3, np.float32), name="weight")

    def step() -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(weight * weight)
        optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])

    with tensordbg.record(folder):
        run = step if eager else tf.function(step)
        for _ in range(3):
            run()
    trace = open_trace(find_run(str(folder)).processes[0].folder)
    return trace, trace.facts.optimizers


@pytest.mark.parametrize("eager", [True, False])
def test_an_optimizer_is_noted_once_with_its_settings(tmp_path: Path, eager: bool) -> None:
    trace, told = recorded(tmp_path, keras.optimizers.Adam(0.1, beta_2=0.9, clipnorm=1.0), eager)
    (one,) = told
    assert (one.kind, one.step) == ("Adam", 0)
    wanted = {"beta_1": 0.9, "beta_2": 0.9, "epsilon": 1e-7, "clipnorm": 1.0, "weight_decay": None}
    assert {name: one.settings[name] for name in wanted} == wanted
    names = {each["variable"]: each["name"] for each in trace.table("variables").to_pylist()}
    assert [names[each] for each in one.variables] == ["weight"]
    assert names[one.held["learning_rate"]].endswith("/learning_rate")


def test_a_schedule_is_told_in_words(tmp_path: Path) -> None:
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, decay_steps=5, decay_rate=0.5)
    _, (one,) = recorded(tmp_path, keras.optimizers.SGD(schedule, momentum=0.9), eager=False)
    assert one.settings["learning_rate"].startswith("ExponentialDecay(initial_learning_rate=0.1, decay_steps=5")  # type: ignore[union-attr]
    assert (one.settings["momentum"], one.held) == (0.9, {})
