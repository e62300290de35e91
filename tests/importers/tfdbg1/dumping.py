"""Dumps the runs of a session with TensorFlow's own wrapper; prints what they gave.

python dumping.py FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python import debug as tf_debug


def watching(operation: str) -> Callable[..., tf_debug.WatchOptions]:
    """Has an operation of the debugger look at two tensors of each run."""
    return lambda *_: tf_debug.WatchOptions([operation], node_name_regex_allowlist="Relu|Counted")


def main() -> None:
    tf.disable_v2_behavior()
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    with tf.variable_scope("hidden"):
        weights = tf.get_variable("w", [4, 3], initializer=tf.ones_initializer())
        hidden = tf.nn.relu(tf.matmul(x, weights), name="relu")
    log = tf.log(hidden, name="Log")
    start = [0, tf.reduce_sum(log, name="Sum")]
    _, total = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t * 2.0), start, name="loop")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(hidden), name="train")
    # A wrapper that goes closes its session, so each has one.
    whole = tf_debug.DumpingDebugWrapperSession(tf.Session(), f"{sys.argv[1]}/whole")
    whole.run(tf.global_variables_initializer())
    for value in (0.5, -0.5):
        whole.run([total, train], {x: np.full((2, 4), value, np.float32)})
    for operation in ("DebugNumericSummary", "DebugNanCount"):
        watched = tf_debug.DumpingDebugWrapperSession(tf.Session(), f"{sys.argv[1]}/{operation}", watching(operation))
        watched.run(tf.log(tf.nn.relu(x, "Relu"), "Counted"), {x: np.zeros((2, 4), np.float32)})


if __name__ == "__main__":
    main()
