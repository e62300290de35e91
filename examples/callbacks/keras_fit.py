"""A `fit` of Keras that tensordbg records: one step in five, with a report at the end."""

import keras
import numpy as np
from keras import ops

from tensordbg.keras import Callback


def entropy(y_true, y_pred):
    return -ops.mean(y_true * ops.log(ops.relu(y_pred)))  # a zero in `y_pred` is an infinite loss


keras.utils.set_random_seed(0)
x = np.random.default_rng(0).normal(size=(64, 4)).astype("float32")
y = np.eye(3, dtype="float32")[x[:, 0].argsort() % 3]
model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(3)])
model.compile("sgd", entropy)
callback = Callback(every=5)
model.fit(x, y, batch_size=16, epochs=3, verbose=0, callbacks=[callback])
