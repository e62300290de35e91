"""Whether a variable is to be trained is asked of whoever knows."""

from __future__ import annotations

import gc
import weakref

import keras
import numpy as np
import tensorflow as tf

from tensordbg.backends.tensorflow.keras.trainable import are_trainable


def test_plain_variables_say_so_themselves() -> None:
    assert are_trainable([tf.Variable(1.0), tf.Variable(1.0, trainable=False)]) == [True, False]


def test_a_layer_frozen_after_it_was_made() -> None:
    layer = keras.layers.Dense(2)
    layer.build((None, 3))
    inside = [variable.value for variable in layer.variables]
    assert are_trainable(inside) == [True, True]
    layer.trainable = False
    assert [variable.trainable for variable in inside] == [True, True]
    assert are_trainable(inside) == [False, False]
    layer.trainable = True
    assert are_trainable(inside) == [True, True]


def test_a_variable_given_to_keras_later() -> None:
    plain = tf.Variable(np.ones(2), name="plain")
    assert are_trainable([plain]) == [True]


def test_a_keras_variable_is_not_kept_alive() -> None:
    variable = keras.Variable(np.ones(2), trainable=True)
    inside, alive = variable.value, weakref.ref(variable)
    assert are_trainable([inside]) == [True]
    del variable
    gc.collect()
    assert alive() is None
    assert are_trainable([inside]) == [True]
