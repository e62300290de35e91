"""Small programs in the style of published bugs: each has one trouble, and `why` tells it once, the guilty line first.

Lines that the first entry must name end with `# HERE`, those of further entries with `# THEN`.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg

v1 = tf.compat.v1

Program = Callable[[], None]
PROGRAMS: list[Program] = []


def program(function: Program) -> Program:
    """Enters a program into the list."""
    PROGRAMS.append(function)
    return function


@program
def softmax_ce_log0_fn() -> None:
    w = tf.Variable(tf.zeros((4, 3)))
    x = tf.constant(np.eye(4, dtype="float32") * 300)
    y = tf.one_hot([0, 1, 2, 0], 3)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            q = tf.nn.softmax(x @ w)
            loss = -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(q), 1))  # HERE
        g = tape.gradient(loss, w)
        w.assign_sub(1.0 * g)
        return loss

    for _ in range(12):
        step()


@program
def softmax_ce_log0_eager() -> None:
    w = tf.Variable(tf.zeros((4, 3)))
    x = tf.constant(np.eye(4, dtype="float32") * 300)
    y = tf.one_hot([0, 1, 2, 0], 3)
    for _ in range(12):
        with tf.GradientTape() as tape:
            q = tf.nn.softmax(x @ w)
            loss = -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(q), 1))  # HERE
        g = tape.gradient(loss, w)
        w.assign_sub(1.0 * g)


@program
def v1_train_only() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x = v1.placeholder(tf.float32, [None, 4])
        y = v1.placeholder(tf.float32, [None, 3])
        w = v1.get_variable("w", [4, 3], initializer=v1.zeros_initializer(), use_resource=True)
        q = tf.nn.softmax(x @ w)
        loss = -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(q), 1))  # HERE
        train = v1.train.GradientDescentOptimizer(1.0).minimize(loss)
        s.run(v1.global_variables_initializer())
        for _ in range(12):
            s.run(train, {x: np.eye(4) * 300, y: np.eye(3)[[0, 1, 2, 0]]})


@program
def v1_train_then_loss() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x = v1.placeholder(tf.float32, [None, 4])
        y = v1.placeholder(tf.float32, [None, 3])
        w = v1.get_variable("w", [4, 3], initializer=v1.zeros_initializer())
        q = tf.nn.softmax(x @ w)
        loss = -tf.reduce_mean(tf.reduce_sum(y * tf.math.log(q), 1))  # HERE
        acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(q, 1), tf.argmax(y, 1)), tf.float32))
        train = v1.train.GradientDescentOptimizer(1.0).minimize(loss)
        s.run(v1.global_variables_initializer())
        f = {x: np.eye(4) * 300, y: np.eye(3)[[0, 1, 2, 0]]}
        for i in range(12):
            s.run(train, f)
            if i % 3 == 0:
                s.run([loss, acc], f)
            if i % 4 == 0:
                s.run(loss, f)
            if i % 5 == 0:
                s.run([loss, train], f)


@program
def v1_legacy_sqrt_norm() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x = v1.placeholder(tf.float32, [None, 2])
        w = v1.get_variable("w", [2, 2], initializer=v1.ones_initializer(), use_resource=False)
        h = x @ w
        d = tf.sqrt(tf.reduce_sum(tf.square(h), 1))  # HERE
        loss = tf.reduce_mean(d)
        train = v1.train.AdamOptimizer(0.1).minimize(loss)
        s.run(v1.global_variables_initializer())
        for _ in range(4):
            s.run(train, {x: [[1.0, 2.0], [0.0, 0.0]]})


@program
def eager_line_called_from_many() -> None:
    def normalise(v: Any) -> Any:
        return (v / tf.norm(v)).numpy()  # HERE

    for _ in range(5):
        normalise(tf.zeros(3))
    normalise(tf.zeros(2))

    def again() -> Any:
        return normalise(tf.zeros(4))

    again()
    again()


@program
def retraced() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.reduce_mean(x / tf.reduce_sum(x))  # HERE

    for n in (2, 3, 4):
        f(tf.zeros(n))


@program
def wgan_gp() -> None:
    keras.utils.set_random_seed(0)
    critic = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
    opt = keras.optimizers.SGD(0.1)
    critic.layers[0].kernel.assign(tf.zeros((4, 8)))
    x = tf.random.normal((6, 4))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            with tf.GradientTape() as gp:
                gp.watch(x)
                out = critic(x)
            g = gp.gradient(out, x)
            norm = tf.sqrt(tf.reduce_sum(tf.square(g), axis=1))  # HERE
            loss = tf.reduce_mean(out) + 10 * tf.reduce_mean((norm - 1) ** 2)
        gr = tape.gradient(loss, critic.trainable_variables)
        opt.apply_gradients(zip(gr, critic.trainable_variables, strict=True))
        return loss

    for _ in range(3):
        step(x)


@program
def wgan_gp_eager() -> None:
    w = tf.Variable(tf.zeros((4, 1)))
    x = tf.random.normal((6, 4), seed=1)
    for _ in range(2):
        with tf.GradientTape() as tape:
            with tf.GradientTape() as gp:
                gp.watch(x)
                out = tf.tanh(x @ w)
            g = gp.gradient(out, x)
            norm = tf.sqrt(tf.reduce_sum(tf.square(g), axis=1))  # HERE
            loss = tf.reduce_mean((norm - 1) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))


@program
def double_where() -> None:
    w = tf.Variable([1.0, 0.0, 2.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.where(w > 0, w * tf.math.log(w), 0.0))  # HERE
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    step()
    step()


@program
def vae_fit() -> None:
    keras.utils.set_random_seed(0)

    class Sampling(keras.layers.Layer):  # type: ignore[misc]
        def call(self, inputs: Any) -> Any:
            m, lv = inputs
            return m + tf.exp(0.5 * lv) * tf.random.normal(tf.shape(m), seed=1)  # HERE

    class VAE(keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.e = keras.layers.Dense(4)
            self.d = keras.layers.Dense(3)
            self.s = Sampling()

        def train_step(self, data: Any) -> Any:
            x = data
            with tf.GradientTape() as tape:
                h = self.e(x)
                m, lv = tf.split(h, 2, axis=1)
                z = self.s([m, lv])
                r = self.d(z)
                kl = -0.5 * tf.reduce_mean(1 + lv - m**2 - tf.exp(lv))
                loss = tf.reduce_mean((x - r) ** 2) + kl
            g = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(g, self.trainable_variables, strict=True))
            return {"loss": loss}

    m = VAE()
    m.compile(keras.optimizers.SGD(0.5))
    m.fit(np.random.default_rng(0).normal(size=(32, 3)).astype("float32") * 20, batch_size=8, epochs=3, verbose=0)


@program
def gan_loss() -> None:
    keras.utils.set_random_seed(0)
    d = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1, activation="sigmoid")])
    gmod = keras.Sequential([keras.Input((2,)), keras.layers.Dense(2)])
    od, og = keras.optimizers.SGD(1.0), keras.optimizers.SGD(1.0)

    @tf.function
    def step(x: Any, z: Any) -> Any:
        with tf.GradientTape() as td, tf.GradientTape() as tg:
            fake = gmod(z)
            dr, df = d(x), d(fake)
            dl = -tf.reduce_mean(tf.math.log(dr) + tf.math.log(1 - df))  # HERE
            gl = -tf.reduce_mean(tf.math.log(df))
        gd = td.gradient(dl, d.trainable_variables)
        gg = tg.gradient(gl, gmod.trainable_variables)
        od.apply_gradients(zip(gd, d.trainable_variables, strict=True))
        og.apply_gradients(zip(gg, gmod.trainable_variables, strict=True))
        return dl, gl

    r = np.random.default_rng(0)
    for _ in range(8):
        step(tf.constant(r.normal(size=(8, 2)) * 100 + 500, tf.float32), tf.constant(r.normal(size=(8, 2)), tf.float32))


@program
def rnn_exploding() -> None:
    w = tf.Variable(tf.eye(3) * 30.0)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            h = tf.zeros((2, 3))
            for _ in tf.range(40):
                h = tf.matmul(h, w) + x  # HERE
            loss = tf.reduce_mean(h**2)
        g = tape.gradient(loss, w)
        w.assign_sub(1e-3 * g)
        return loss

    for _ in range(2):
        step(tf.ones((2, 3)))


@program
def scan_div() -> None:
    @tf.function
    def f(x: Any) -> Any:
        return tf.scan(lambda a, e: a / e, x, initializer=1.0)  # HERE

    f(tf.constant([1.0, 2.0, 0.0, 3.0]))
    f(tf.constant([1.0, 2.0, 0.0, 3.0]))


@program
def map_fn_std() -> None:
    w = tf.Variable(1.0)

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            z = tf.map_fn(lambda r: tf.math.reduce_std(r * w), x)  # HERE
            total = tf.reduce_sum(z)
        w.assign_sub(tape.gradient(total, w))
        return total

    f(tf.constant([[1.0, 2.0], [3.0, 3.0]]))


@program
def std_const_eager() -> None:
    w = tf.Variable(1.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            loss = tf.math.reduce_std(w * tf.constant([2.0, 2.0]))  # HERE
        w.assign_sub(tape.gradient(loss, w))


@program
def acos_layer() -> None:
    keras.utils.set_random_seed(0)

    class Angular(keras.layers.Layer):  # type: ignore[misc]
        def build(self, s: Any) -> Any:
            self.w = self.add_weight(shape=(s[-1], 3))

        def call(self, x: Any) -> Any:
            c = tf.linalg.l2_normalize(x, 1) @ tf.linalg.l2_normalize(self.w, 0)
            return tf.cos(tf.acos(tf.clip_by_value(c, -1.0, 1.0)) + 0.5)  # HERE

    m = keras.Sequential([keras.Input((1,)), Angular()])
    m.compile("sgd", "mse")
    m.fit(np.ones((8, 1), "float32"), np.ones((8, 3), "float32"), batch_size=4, verbose=0)


@program
def masked_mean_zero() -> None:
    keras.utils.set_random_seed(0)
    m = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    opt = keras.optimizers.Adam(0.01)

    @tf.function
    def step(x: Any, y: Any, mask: Any) -> Any:
        with tf.GradientTape() as tape:
            e = tf.square(m(x) - y) * mask
            loss = tf.reduce_sum(e) / tf.reduce_sum(mask)  # HERE
        g = tape.gradient(loss, m.trainable_variables)
        opt.apply_gradients(zip(g, m.trainable_variables, strict=True))
        return loss

    for i in range(4):
        step(tf.ones((3, 2)), tf.ones((3, 1)), tf.fill((3, 1), 0.0 if i == 2 else 1.0))


@program
def kl_eager() -> None:
    a = tf.Variable([0.5, 0.5, 0.0])
    b = tf.constant([0.2, 0.0, 0.8])
    for _ in range(2):
        with tf.GradientTape() as t:
            kl = tf.reduce_sum(a * tf.math.log(a / b))  # HERE
        a.assign_sub(0.1 * t.gradient(kl, a))


@program
def kl_fn() -> None:
    a = tf.Variable([0.5, 0.5, 0.0])
    b = tf.constant([0.2, 0.3, 0.5])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as t:
            kl = tf.reduce_sum(a * tf.math.log(a / b))  # HERE
        a.assign_sub(0.1 * t.gradient(kl, a))

    step()
    step()


@program
def fp16_overflow() -> None:
    w = tf.Variable(tf.ones((8, 8), tf.float16) * 30)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as t:
            h = x @ w
            total = tf.reduce_mean(h * h)  # HERE
        g = t.gradient(total, w)
        w.assign_sub(tf.cast(0.1, tf.float16) * g)
        return total

    for _ in range(2):
        step(tf.ones((2, 8), tf.float16) * 3)


@program
def gaussian_logprob() -> None:
    mu, ls = tf.Variable(0.0), tf.Variable(-100.0)
    x = tf.constant([1.0, 2.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as t:
            lp = -0.5 * ((x - mu) / tf.exp(ls)) ** 2 - ls  # HERE
            total = -tf.reduce_mean(lp)
        g = t.gradient(total, [mu, ls])
        mu.assign_sub(g[0])
        ls.assign_sub(g[1])
        return total

    step()
    step()


@program
def ctc_like_logsumexp() -> None:
    w = tf.Variable([[0.0, 0.0]])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as t:
            a = tf.math.log(tf.reduce_sum(tf.exp(w * 1.0 - 200.0), 1))  # HERE
            total = tf.reduce_mean(a)
        w.assign_sub(t.gradient(total, w))
        return total

    step()
    step()


@program
def persistent_tape_two() -> None:
    a = tf.Variable(0.0)
    b = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as t:
        y = tf.sqrt(a)  # HERE
        l1 = y * b
        l2 = y + b
    ga = t.gradient(l1, a)
    gb = t.gradient(l2, a)
    gc = t.gradient(l2, b)
    a.assign_sub(ga)
    a.assign_sub(gb)
    b.assign_sub(gc)


@program
def second_order_pow() -> None:
    x = tf.Variable([0.0, 1.0])

    @tf.function
    def f() -> Any:
        with tf.GradientTape() as t2:
            with tf.GradientTape() as t1:
                y = tf.reduce_sum(x**1.5)  # HERE
            g = t1.gradient(y, x)
            p = tf.reduce_sum(g**2)
        return t2.gradient(p, x)

    f()


@program
def embedding_norm() -> None:
    e = tf.Variable(tf.concat([tf.zeros((1, 3)), tf.ones((3, 3))], 0))
    ids = tf.constant([0, 1, 2, 0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as t:
            v = tf.nn.embedding_lookup(e, ids)
            total = tf.reduce_mean(tf.norm(v, axis=1))  # HERE
        g = t.gradient(total, e)
        e.assign_sub(tf.convert_to_tensor(g) * 0.1)
        return total

    step()
    step()


@program
def batchnorm_by_hand() -> None:
    g = tf.Variable(tf.ones(2))
    w = tf.Variable(tf.ones((2, 2)))

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as t:
            h = x @ w
            m, v = tf.nn.moments(h, [0])
            o = g * (h - m) / tf.sqrt(v)  # HERE
            total = tf.reduce_mean(o**2)
        gr = t.gradient(total, [g, w])
        g.assign_sub(gr[0])
        w.assign_sub(gr[1])
        return total

    step(tf.ones((1, 2)))
    step(tf.ones((1, 2)))


@program
def tf_gradients_v1_print() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x = v1.placeholder(tf.float32, [None])
        y = tf.reduce_sum(tf.pow(x, 0.5))  # HERE
        g = v1.gradients(y, x)
        s.run(g, {x: [0.0, 1.0]})
        s.run([y], {x: [0.0, 1.0]})
        s.run([y, g], {x: [0.0, 1.0]})


@program
def v1_layers_many_signatures() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x = v1.placeholder(tf.float32, [None, 2])
        y = x / tf.reduce_sum(x, 1, keepdims=True)  # HERE
        m = tf.reduce_mean(y)
        k = tf.reduce_max(y)
        for f in (m, k, [m, k], y, [y, m]):
            s.run(f, {x: [[0.0, 0.0], [1.0, 2.0]]})


@program
def v1_summary_and_train() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        x = v1.placeholder(tf.float32, [None, 1])
        w = v1.get_variable("w", [1, 1], initializer=v1.ones_initializer())
        h = x @ w
        loss = tf.reduce_mean(tf.math.log(h))  # HERE
        tf.compat.v1.summary.scalar("loss", loss)
        tf.compat.v1.summary.histogram("h", h)
        merged = v1.summary.merge_all()
        train = v1.train.AdamOptimizer(0.1).minimize(loss)
        s.run(v1.global_variables_initializer())
        for _ in range(3):
            with contextlib.suppress(tf.errors.InvalidArgumentError):
                s.run([merged, train], {x: [[0.0], [1.0]]})


@program
def cosine_sim_keras_layer() -> None:
    keras.utils.set_random_seed(0)
    inp = keras.Input((3,))
    h = keras.layers.Dense(4, use_bias=False, activation="relu")(inp)
    n = keras.layers.Lambda(lambda t: t / tf.norm(t, axis=-1, keepdims=True))(h)  # HERE
    m = keras.Model(inp, n)
    m.compile("adam", "mse", metrics=["mae"])
    x = np.zeros((8, 3), "float32")
    x[:7] = 1
    m.fit(x, np.ones((8, 4), "float32"), batch_size=4, verbose=0, shuffle=False)
    m.evaluate(x, np.ones((8, 4), "float32"), verbose=0)
    m.predict(x, verbose=0)


@program
def xlogx_entropy_v1() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        w = v1.get_variable("w", [3], initializer=v1.constant_initializer([0.0, 1.0, 2.0]))
        q = tf.nn.relu(w)
        ent = -tf.reduce_sum(q * tf.math.log(q))  # HERE
        op = v1.train.MomentumOptimizer(0.1, 0.9).minimize(ent)
        s.run(v1.global_variables_initializer())
        s.run(op)
        s.run(op)
        s.run(ent)


@program
def grad_clip_norm() -> None:
    w = tf.Variable([0.0, 1.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as t:
            total = tf.reduce_sum(tf.sqrt(tf.abs(w)))  # HERE
        g, _ = tf.clip_by_global_norm(t.gradient(total, [w]), 1.0)
        w.assign_sub(g[0])

    step()


@program
def v1_loss_that_no_run_needs() -> None:
    with tf.Graph().as_default(), v1.Session() as s:
        w = v1.get_variable("w", initializer=np.array([1.0, 0.0, 2.0], np.float32))
        loss = tf.reduce_sum(tf.math.log(w * 1.0))  # HERE
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        s.run(v1.global_variables_initializer())
        for _ in range(3):
            s.run(train)


def marked(function: Program, mark: str) -> set[int]:
    lines, first = inspect.getsourcelines(function)
    return {number for number, line in enumerate(lines, first) if line.rstrip().endswith(mark)}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_one_trouble_is_told_once(tmp_path: Path, function: Program) -> None:
    with tensordbg.record(tmp_path) as recording:
        function()
    entries = [origin for origin in tensordbg.open(recording.path).why().origins if origin.consequential]
    places = [(origin.place.line if origin.place else None, origin.cause) for origin in entries]
    first, further = marked(function, "# HERE"), marked(function, "# THEN")
    assert places, "nothing that matters was found"
    assert places[0][0] in first, [(origin.view.tensor, origin.place, origin.source) for origin in entries]
    assert sorted(line for line, _ in places) == sorted(first | further), places
