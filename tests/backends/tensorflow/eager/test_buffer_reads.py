"""Several may wait for what NumPy reads, and none takes it from the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.eager.buffer_reads import unwatch_buffers, watch_buffers


def test_each_is_told_while_it_waits() -> None:
    tensor = tf.constant([1.0, 2.0])
    told: list[str] = []
    first: dict[int, Any] = {1: None}
    second: dict[int, Any] = {}
    assert watch_buffers(first, lambda _: told.append("first"))
    assert watch_buffers(second, lambda _: told.append("second"))
    np.asarray(tensor)
    second[2] = None
    np.asarray(tensor)
    unwatch_buffers(first)
    np.asarray(tensor)
    unwatch_buffers(second)
    np.asarray(tensor)
    assert told == ["first", "first", "second", "second"]
