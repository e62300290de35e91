"""The tensors that a function was given are found among its arguments, in lists and dictionaries too."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.failures.frame_arguments import arguments_of, is_in, once, tensors_in


def called(first: Any, *more: Any, key: Any, **others: Any) -> FrameType:
    made_here = tf.constant(0.0)
    assert made_here is not first
    return sys._getframe()


def test_what_a_function_was_given_is_found_and_what_it_made_is_not() -> None:
    a, b, c = tf.constant(1.0), tf.ragged.constant([[1.0], [2.0, 3.0]]), np.ones(3)
    frame = called([a, {"b": b}], a, key=c, other="text", fetches=tf.constant(2.0))
    found = once(tensors_in(arguments_of(frame)))
    assert [is_in(each, found) for each in (a, b, c)] == [True, True, True]
    assert len(found) == 4
