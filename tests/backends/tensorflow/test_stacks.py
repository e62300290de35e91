"""Stacks of eager operations and of operations in graphs lead to the user's line."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import tensorflow as tf

from tensordbg.backends.tensorflow.stacks import Stacks, stack_key
from tensordbg.recording.catalog import Catalog


def here() -> tuple[tuple[int, ...], object]:
    frame = sys._getframe(1)
    return stack_key(frame), frame


def test_a_key_tells_places_apart() -> None:
    keys = [here()[0] for _ in range(2)]
    assert keys[0] == keys[1]
    assert here()[0] != keys[0]


def test_the_current_stack_ends_at_the_users_line() -> None:
    catalog = Catalog()
    stacks = Stacks(catalog)
    frame = sys._getframe()
    key, line = stack_key(frame), inspect.currentframe().f_lineno  # type: ignore[union-attr]
    frames = catalog.frames(stacks.current(key, frame))
    user = [frame for frame in frames if frame.file == __file__]
    assert user[-1].function == "test_the_current_stack_ends_at_the_users_line"
    assert abs(user[-1].line - line) <= 1
    assert stacks.current(key, frame) == stacks.current(key, frame)


def scale(x: tf.Tensor) -> tf.Tensor:
    if tf.reduce_sum(x) > 0:
        x = tf.math.log(x)
    return x * 2.0


def test_operations_in_a_graph_lead_to_the_source_and_not_to_what_autograph_made_of_it() -> None:
    catalog = Catalog()
    graph = tf.function(scale).get_concrete_function(tf.TensorSpec([4], tf.float32)).graph
    stacks = Stacks(catalog).of_graph(graph)
    frames = [frame for frame in catalog.frames(stacks["Sum"]) if frame.user]
    assert frames[-1].file == __file__
    text = Path(__file__).read_text().splitlines()[frames[-1].line - 1]
    assert text == "    if tf.reduce_sum(x) > 0:"
    assert "__autograph_generated" not in str(frames)
