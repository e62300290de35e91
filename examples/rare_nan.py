"""The one bad step of a long training: a loss of angles whose gradient is infinite where a prediction is exactly right.

A small network learns the direction of sound from the signals of four microphones. The loss is the angle between the
true and the predicted direction, by the arc cosine. It trains well for hundreds of steps and becomes better and better;
until, in one batch, a prediction is right to the last bit: the cosine is 1, the arc cosine has an infinite slope there,
and from then on every weight is NaN. A checkpoint from before does not show it, and neither does the last batch.

    tdbg trap examples/rare_nan.py            # the step is caught before it writes anything, replayed and explained
    tdbg trap examples/rare_nan.py --fixed    # the angle by the arc tangent instead, which has no such place
"""

from __future__ import annotations

import argparse

import keras
import numpy as np
import tensorflow as tf

MICROPHONES = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]], np.float32)


def data(count):
    """Signals, and the directions that they come from as unit vectors."""
    angles = np.random.default_rng(0).uniform(-np.pi, np.pi, count)
    directions = np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)
    return directions @ MICROPHONES.T, directions


def by_arc_cosine(wanted, found):
    """The angle between two vectors."""
    found = tf.math.l2_normalize(found, axis=1)
    cosine = tf.clip_by_value(tf.reduce_sum(wanted * found, axis=1), -1.0, 1.0)
    return tf.reduce_mean(tf.acos(cosine))


def by_arc_tangent(wanted, found):
    """The same, with a slope that is bounded everywhere."""
    along = tf.reduce_sum(wanted * found, axis=1)
    across = wanted[:, 0] * found[:, 1] - wanted[:, 1] * found[:, 0]
    return tf.reduce_mean(tf.abs(tf.atan2(across, along)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fixed", action="store_true", help="the loss that does not go wrong")
    loss = by_arc_tangent if parser.parse_args().fixed else by_arc_cosine
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(32, "tanh"), keras.layers.Dense(2)])
    model.compile(keras.optimizers.Adam(2e-4), loss, jit_compile=False)
    signals, directions = data(4096)
    model.fit(signals, directions, batch_size=4, epochs=2, verbose=2)


if __name__ == "__main__":
    main()
