"""Learning from rewards."""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf

from tests.e2e.healthy.registry import dense, healthy, improve


class Corridor:
    """Five places in a row; the reward is at the right end."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.place = 2

    def seen(self) -> np.ndarray:
        return np.eye(5, dtype=np.float32)[self.place]

    def move(self, right: bool) -> float:
        self.place = min(4, max(0, self.place + (1 if right else -1)))
        return 1.0 if self.place == 4 else -0.1


@healthy
def a_policy_by_its_gradient() -> None:
    policy = dense(5, 16, 2, activation="tanh")
    optimizer = keras.optimizers.Adam(0.02)
    random = np.random.default_rng(0)
    for episode in range(25):
        world, seen, actions, rewards = Corridor(episode), [], [], []
        for _ in range(8):
            seen.append(world.seen())
            probability = tf.nn.softmax(policy(seen[-1][None]))[0, 1]
            actions.append(int(random.random() < float(probability)))
            rewards.append(world.move(bool(actions[-1])))
        returns = np.cumsum(rewards[::-1])[::-1].astype(np.float32)
        advantage = tf.constant((returns - returns.mean()) / (returns.std() + 1e-6))
        states, taken = tf.constant(np.stack(seen)), tf.constant(actions)

        def loss(states: tf.Tensor = states, taken: tf.Tensor = taken, advantage: tf.Tensor = advantage) -> tf.Tensor:
            chosen = tf.nn.sparse_softmax_cross_entropy_with_logits(taken, policy(states))
            return tf.reduce_mean(chosen * advantage)

        improve(loss, policy.trainable_variables, optimizer)


@healthy
def values_of_actions_with_a_target_network() -> None:
    online, target = dense(5, 24, 2), dense(5, 24, 2)
    target.set_weights(online.get_weights())
    optimizer = keras.optimizers.Adam(0.005)
    random, world, memory = np.random.default_rng(0), Corridor(0), []
    for _ in range(300):
        before, action = world.seen(), int(random.integers(2))
        reward = world.move(bool(action))
        memory.append((before, action, reward, world.seen()))
        if world.place == 4:
            world.place = 0

    @tf.function
    def train_step(before: tf.Tensor, action: tf.Tensor, reward: tf.Tensor, after: tf.Tensor) -> tf.Tensor:
        goal = reward + 0.9 * tf.reduce_max(target(after), axis=1)

        def loss() -> tf.Tensor:
            value = tf.reduce_sum(online(before) * tf.one_hot(action, 2), axis=1)
            return keras.losses.huber(goal[:, None], value[:, None])

        return improve(lambda: tf.reduce_mean(loss()), online.trainable_variables, optimizer)

    for step in range(100):
        rows = [memory[k] for k in random.integers(0, 300, 32)]
        columns = [np.array(column, dtype) for column, dtype in zip(zip(*rows, strict=True), "fifi", strict=True)]
        columns[3] = columns[3].astype(np.float32)
        train_step(*map(tf.constant, columns))
        if step % 20 == 19:
            target.set_weights(online.get_weights())


@healthy
def actor_and_critic_that_share_a_body() -> None:
    given = keras.Input((5,))
    body = keras.layers.Dense(16, "relu")(given)
    model = keras.Model(given, [keras.layers.Dense(2)(body), keras.layers.Dense(1)(body)])
    optimizer = keras.optimizers.Adam(0.01)
    random = np.random.default_rng(0)

    @tf.function
    def train_step(states: tf.Tensor, actions: tf.Tensor, returns: tf.Tensor) -> tf.Tensor:
        def loss() -> tf.Tensor:
            logits, value = model(states)
            advantage = returns - value[:, 0]
            chosen = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, logits)
            entropy = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=1))
            policy = tf.reduce_mean(chosen * tf.stop_gradient(advantage))
            return policy + 0.5 * tf.reduce_mean(tf.square(advantage)) - 0.01 * entropy

        return improve(loss, model.trainable_variables, optimizer)

    for episode in range(60):
        world, seen, actions, rewards = Corridor(episode), [], [], []
        for _ in range(16):
            seen.append(world.seen())
            logits = model(seen[-1][None])[0].numpy()[0]
            actions.append(int(random.random() < 1 / (1 + np.exp(logits[0] - logits[1]))))
            rewards.append(world.move(bool(actions[-1])))
        returns = np.convolve(rewards[::-1], 0.9 ** np.arange(16))[:16][::-1].astype(np.float32)
        train_step(tf.constant(np.stack(seen)), tf.constant(actions), tf.constant(returns))


@healthy
def a_bandit_that_becomes_sure() -> None:
    scores = tf.Variable(tf.zeros(4), name="scores")
    optimizer = keras.optimizers.SGD(0.5)
    random = np.random.default_rng(0)
    reward = np.array([0.1, 0.2, 1.0, 0.3])

    @tf.function
    def train_step(arm: tf.Tensor, advantage: tf.Tensor) -> tf.Tensor:
        return improve(lambda: -advantage * tf.nn.log_softmax(scores)[arm], [scores], optimizer)

    baseline = 0.0
    for _ in range(150):
        probability = tf.nn.softmax(scores).numpy().astype(np.float64)
        arm = int(random.choice(4, p=probability / probability.sum()))
        gained = reward[arm] + 0.05 * random.normal()
        train_step(tf.constant(arm), tf.constant(np.float32(gained - baseline)))
        baseline += 0.1 * (gained - baseline)


@healthy
def a_target_network_that_is_not_copied_yet() -> None:
    online, target = dense(4, 16, 2), dense(4, 16, 2)
    optimizer, random = keras.optimizers.Adam(1e-2), np.random.default_rng(0)

    @tf.function
    def train_step(seen: tf.Tensor, action: tf.Tensor, reward: tf.Tensor, later: tf.Tensor) -> tf.Tensor:
        wanted = reward + 0.9 * tf.reduce_max(target(later), axis=1)

        def loss() -> tf.Tensor:
            chosen = tf.reduce_sum(online(seen) * tf.one_hot(action, 2), axis=1)
            return tf.reduce_mean(tf.square(wanted - chosen))

        return improve(loss, online.trainable_variables, optimizer)

    for _ in range(20):
        seen, later = random.normal(size=(2, 32, 4)).astype(np.float32)
        action, reward = random.integers(0, 2, 32), (seen[:, 0] > 0).astype(np.float32)
        train_step(*map(tf.constant, (seen, action, reward, later)))
