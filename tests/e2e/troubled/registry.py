"""The list of troubled programs by kind, and what they are made of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import tensorflow as tf

Program = Callable[[], object]
PROGRAMS: dict[str, list[tuple[Program, str]]] = {}
LIMIT = {"steps": 1000}


def trouble(kind: str, named: str) -> Callable[[Program], Program]:
    """Enters a program into the list of those with this trouble, with what the warning must name."""

    def enter(program: Program) -> Program:
        PROGRAMS.setdefault(kind, []).append((program, named))
        return program

    return enter


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> tf.Tensor:
    return tf.constant(np.random.default_rng(seed).normal(0.0, scale, shape).astype(np.float32))


class Layer(tf.Module):
    """A fully connected layer without a bias."""

    def __init__(self, inputs: int, outputs: int, name: str, seed: int) -> None:
        super().__init__(name=name)
        self.kernel = tf.Variable(normal(inputs, outputs, seed=seed, scale=inputs**-0.5), name=f"{name}/kernel")
        self.bias = tf.Variable(tf.zeros(outputs), name=f"{name}/bias")

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.matmul(x, self.kernel) + self.bias


def train(loss: Callable[[int], tf.Tensor], variables: list[tf.Variable], steps: int = 30, rate: float = 0.05) -> None:
    """Plain gradient descent, as a graph."""

    @tf.function
    def train_step(step: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            value = loss(step)
        for variable, gradient in zip(variables, tape.gradient(value, variables), strict=True):
            if gradient is not None:
                variable.assign_sub(rate * gradient)
        return value

    for step in range(min(steps, LIMIT["steps"])):
        train_step(tf.constant(step))
