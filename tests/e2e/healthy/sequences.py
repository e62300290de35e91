"""Recurrent networks, attention and words."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.healthy.registry import digits, fit, healthy, improve, normal

TEXT = np.frombuffer((b"the quick brown fox jumps over the lazy dog. " * 40), dtype=np.uint8).astype(np.int32) % 32


@healthy
def words_with_negative_samples() -> None:
    vectors = tf.Variable(normal(200, 16, scale=0.1), name="vectors")
    contexts = tf.Variable(normal(200, 16, seed=1, scale=0.1), name="contexts")
    optimizer = keras.optimizers.Adam(0.01)
    random = np.random.default_rng(0)

    @tf.function
    def train_step(word: tf.Tensor, context: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        def loss() -> tf.Tensor:
            given = tf.nn.embedding_lookup(vectors, word)
            right = tf.reduce_sum(given * tf.nn.embedding_lookup(contexts, context), axis=1)
            wrong = tf.einsum("be,bke->bk", given, tf.nn.embedding_lookup(contexts, other))
            return -tf.reduce_mean(tf.math.log_sigmoid(right)) - tf.reduce_mean(tf.math.log_sigmoid(-wrong))

        return improve(loss, [vectors, contexts], optimizer)

    for _ in range(60):
        word = random.integers(0, 200, 64)
        train_step(tf.constant(word), tf.constant(word ^ 1), tf.constant(random.integers(0, 200, (64, 5))))


@healthy
def characters_by_a_recurrent_network_with_clipped_gradients() -> None:
    cell = keras.layers.SimpleRNN(32, return_sequences=True)
    model = keras.Sequential([keras.Input((20,), dtype="int32"), keras.layers.Embedding(32, 8), cell])
    head = keras.layers.Dense(32)
    head.build((None, None, 32))
    optimizer = keras.optimizers.SGD(0.5)
    variables = [*model.trainable_variables, *head.trainable_variables]

    @tf.function
    def train_step(text: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            logits = head(model(text[:, :-1]))
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(text[:, 1:], logits))
        gradients, _ = tf.clip_by_global_norm(tape.gradient(loss, variables), 1.0)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    for step in range(40):
        train_step(tf.constant(np.stack([TEXT[k + step : k + step + 21] for k in range(0, 640, 40)])))


@healthy
def a_recurrence_written_as_a_loop() -> None:
    kernel = tf.Variable(normal(4, 16, scale=0.3), name="kernel")
    recurrent = tf.Variable(np.linalg.qr(normal(16, 16, seed=1))[0], name="recurrent")
    readout = tf.Variable(normal(16, 1, seed=2, scale=0.3), name="readout")

    @tf.function
    def train_step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            state = tf.zeros([32, 16])
            for step in tf.range(30):
                state = tf.tanh(x[:, step] @ kernel + state @ recurrent)
            loss = tf.reduce_mean(tf.square(state @ readout - y))
        for variable, gradient in zip(
            [kernel, recurrent, readout], tape.gradient(loss, [kernel, recurrent, readout]), strict=True
        ):
            variable.assign_sub(0.05 * gradient)
        return loss

    for step in range(25):
        x = normal(32, 30, 4, seed=step)
        train_step(tf.constant(x), tf.constant(x[:, -3:, 0].mean(axis=1, keepdims=True)))


@healthy
def a_bidirectional_network_over_padded_sentences() -> None:
    random = np.random.default_rng(0)
    length = random.integers(3, 16, 256)
    tokens = random.integers(1, 50, (256, 16)) * (np.arange(16) < length[:, None])
    labels = (tokens > 25).sum(axis=1) > (length // 2)
    model = keras.Sequential(
        [
            keras.Input((16,), dtype="int32"),
            keras.layers.Embedding(50, 16, mask_zero=True),
            keras.layers.Bidirectional(keras.layers.LSTM(8)),
            keras.layers.Dense(1, "sigmoid"),
        ]
    )
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    model.fit(tokens, labels.astype(np.float32), epochs=4, batch_size=32, verbose=0)


@healthy
def a_translation_with_attention() -> None:
    random = np.random.default_rng(0)
    source = random.integers(1, 20, (512, 8)).astype(np.int32)
    target = source[:, ::-1]
    given = np.concatenate([np.zeros((512, 1), np.int32), target[:, :-1]], axis=1)
    one, two = keras.Input((8,), dtype="int32"), keras.Input((8,), dtype="int32")
    memory = keras.layers.GRU(32, return_sequences=True)(keras.layers.Embedding(20, 16)(one))
    state = keras.layers.GRU(32, return_sequences=True)(keras.layers.Embedding(20, 16)(two))
    context = keras.layers.Attention()([state, memory])
    logits = keras.layers.Dense(20)(keras.layers.Concatenate()([state, context]))
    model = keras.Model([one, two], logits)
    model.compile(keras.optimizers.Adam(0.01), keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit([source, given], target, epochs=3, batch_size=64, verbose=0)


@healthy
def causal_convolutions_over_time() -> None:
    time = np.arange(600)
    wave = (np.sin(time / 5) + 0.3 * np.sin(time / 2) + normal(600, scale=0.05)).astype(np.float32)
    x = np.stack([wave[k : k + 32] for k in range(512)])[:, :, None]
    y = np.stack([wave[k + 32] for k in range(512)])[:, None]
    layers = [keras.layers.Conv1D(12, 2, dilation_rate=2**k, padding="causal", activation="relu") for k in range(4)]
    model = keras.Sequential(
        [keras.Input((32, 1)), *layers, keras.layers.Lambda(lambda h: h[:, -1]), keras.layers.Dense(1)]
    )
    model.compile(keras.optimizers.Adam(0.005), "mse")
    model.fit(x, y, epochs=4, batch_size=64, verbose=0)


@healthy
def attention_over_rows_with_a_mask() -> None:
    x, y = digits()
    rows = keras.Input((8, 8))
    h = keras.layers.Dense(16)(rows)
    h = keras.layers.LayerNormalization()(h + keras.layers.MultiHeadAttention(4, 4)(h, h, use_causal_mask=True))
    model = keras.Model(rows, keras.layers.Dense(10)(keras.layers.Flatten()(h)))
    schedule = keras.optimizers.schedules.CosineDecay(1e-4, 40, warmup_target=5e-3, warmup_steps=8)
    fit(model, x.reshape(-1, 8, 8)[:640], y[:640], epochs=4, optimizer=keras.optimizers.AdamW(schedule))


@healthy
def a_recurrence_of_sines_that_python_unrolls() -> None:
    recurrent = tf.Variable(normal(16, 16, scale=0.15), name="recurrent")
    kernel, readout = tf.Variable(normal(3, 16, seed=1, scale=0.5)), tf.Variable(normal(16, 1, seed=2, scale=0.2))
    x = tf.constant(normal(32, 40, 3, seed=3))
    y = tf.reduce_mean(x[:, -4:, 0], axis=1, keepdims=True)
    optimizer = keras.optimizers.Adam(0.003)

    def loss() -> tf.Tensor:
        state = tf.zeros([32, 16])
        for turn in range(40):
            state = tf.sin(x[:, turn] @ kernel + state @ recurrent)
        return tf.reduce_mean(tf.square(state @ readout - y))

    @tf.function
    def train_step() -> tf.Tensor:
        return improve(loss, [recurrent, kernel, readout], optimizer)

    for _ in range(30):
        train_step()
