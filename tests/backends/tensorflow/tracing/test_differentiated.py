"""What is differentiated for variables is told of the site that made it, and nothing stays behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.internals import gradients_util, imperative_grad
from tensordbg.model import DIFFERENTIATED
from tests.backends.tensorflow.recorded import Recorded, record

v1 = tf.compat.v1


def told(found: Recorded) -> set[tuple[str, int]]:
    sites = [(site.op_type, json.loads(site.attributes)) for site in found.sites.values()]
    return {(op_type, slot) for op_type, attributes in sites for slot in attributes.get(DIFFERENTIATED, ())}


def test_eagerly_and_of_the_results_of_functions(tmp_path: Path) -> None:
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def forward() -> Any:
        return tf.reduce_max(w), tf.reduce_prod(w)

    def program() -> None:
        for _ in range(2):
            with tf.GradientTape(persistent=True) as tape:
                losses = {"a": tf.reduce_sum(w), "b": [tf.reduce_mean(w)]}
                _, made = forward()
            tape.gradient(losses, w)
            tape.gradient(made, [w])

    assert told(record(tmp_path, program)) == {("Sum", 0), ("Mean", 0), ("Prod", 0)}


def test_in_functions_and_sessions(tmp_path: Path) -> None:
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.identity(tf.reduce_prod(w))
        return tape.gradient(loss, w)

    def program() -> None:
        step()
        with tf.Graph().as_default(), v1.Session() as session:
            kept = v1.get_variable("kept", initializer=[1.0, 2.0])
            loss = tf.reduce_mean(kept)
            train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
            x = v1.placeholder(tf.float32, [2])
            slope = tf.gradients(tf.reduce_max(x), x)
            session.run(v1.global_variables_initializer())
            session.run([loss, train, slope], {x: [1.0, 2.0]})

    assert told(record(tmp_path, program)) == {("Prod", 0), ("Mean", 0)}


def test_what_is_only_passed_on(tmp_path: Path) -> None:
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def same(x: tf.Tensor) -> tf.Tensor:
        return tf.identity(x)

    def program() -> None:
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.identity(tf.reduce_sum(w))
            again = same(loss)
        tape.gradient(loss, w)
        tape.gradient(again, w)

    found = record(tmp_path, program)
    assert ("Identity", 0) in told(found)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    before = imperative_grad.imperative_grad, gradients_util._GradientsHelper
    record(tmp_path, lambda: None)
    assert (imperative_grad.imperative_grad, gradients_util._GradientsHelper) == before
