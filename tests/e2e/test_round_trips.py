"""NaN that leaves the framework and comes back through Python, a file or a session: the first origin is the only one.

Each program marks the guilty line with `# HERE`.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.wire.why import why_to_json

Program = Callable[[], object]
WHOLE: list[Program] = []
PARTS: list[Program] = []

X = np.random.RandomState(0).rand(32, 3).astype("float32")
Y = X.sum(axis=1, keepdims=True)


def whole(program: Program) -> Program:
    """Enters a program in which all elements come back."""
    WHOLE.append(program)
    return program


def in_parts(program: Program) -> Program:
    """Enters a program in which some of what left comes back, or with more."""
    PARTS.append(program)
    return program


def line_of(program: Program) -> int:
    lines, first = inspect.getsourcelines(program)
    return first + next(k for k, line in enumerate(lines) if "# HERE" in line)


def model(*, broken: bool = True) -> keras.Model:
    layers = [keras.layers.Input([3]), keras.layers.Dense(4), keras.layers.Dense(1)]
    made = keras.Sequential(layers)
    rate = 1e30 if broken else 1e-3
    made.compile(keras.optimizers.SGD(rate), "mse")
    return made


def causes(program: Program, folder: Path) -> list[dict[str, Any]]:
    with tensordbg.record(folder) as recording:
        program()
    origins: list[dict[str, Any]] = why_to_json(tensordbg.open(recording.path).why())["origins"]
    return origins


def logarithm() -> np.ndarray[Any, Any]:
    result: np.ndarray[Any, Any] = tf.math.log(tf.constant([[0.0, -1.0, 2.0], [1.0, 2.0, 3.0]])).numpy()
    return result


@whole
def weights_set_again() -> None:
    each = model()
    each.fit(X, Y, epochs=3, verbose=0)
    each.set_weights(each.get_weights())
    each.fit(X, Y, verbose=0)


@whole
def best_weights_restored() -> None:
    stop = keras.callbacks.EarlyStopping("loss", patience=0, restore_best_weights=True)
    each = model()
    each.fit(X, Y, epochs=6, verbose=0, callbacks=[stop])
    each.predict(X, verbose=0)


@whole
def weights_saved_and_loaded() -> None:
    each, other = model(), model(broken=False)
    each.fit(X, Y, epochs=3, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        each.save_weights(f"{folder}/all.weights.h5")
        other.load_weights(f"{folder}/all.weights.h5")
    other.predict(X, verbose=0)


@whole
def checkpoint_restored() -> None:
    each, other = model(), model(broken=False)
    each.fit(X, Y, epochs=3, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(model=each).save(f"{folder}/checkpoint")
        tf.train.Checkpoint(model=other).restore(path)
    other.predict(X, verbose=0)


@whole
def target_network() -> None:
    each, target = model(), model(broken=False)
    each.fit(X, Y, epochs=3, verbose=0)
    pairs = zip(each.get_weights(), target.get_weights(), strict=True)
    target.set_weights([0.9 * new + 0.1 * old for new, old in pairs])
    target.predict(X, verbose=0)


@whole
def predictions_as_labels() -> None:
    teacher, pupil = model(), model(broken=False)
    teacher.fit(X, Y, epochs=3, verbose=0)
    pupil.fit(X, teacher.predict(X, verbose=0), verbose=0)


@whole
def predictions_in_an_operation() -> None:
    each = model()
    each.fit(X, Y, epochs=3, verbose=0)
    tf.nn.softmax(each.predict(X, verbose=0))


@whole
def constant_of_an_array() -> None:
    tf.reduce_sum(tf.constant(logarithm() * 2 + 1))


@whole
def variable_of_an_array() -> None:
    weights = tf.Variable(logarithm())
    tf.function(lambda: tf.reduce_sum(weights))()


@whole
def average_by_hand() -> None:
    value, average = tf.Variable([1.0, 2.0]), tf.Variable([0.0, 0.0])
    value.assign(tf.math.log(value - 1.0))  # HERE
    average.assign(0.9 * average.numpy() + 0.1 * value.numpy())
    tf.reduce_sum(average)


@whole
def scalar_set_again() -> None:
    value = tf.Variable(1.0)
    value.assign(tf.math.log(value - 1.0))  # HERE
    value.assign(value.numpy())
    tf.exp(-value)


@whole
def generator_of_results() -> None:
    array = logarithm()
    made = tf.data.Dataset.from_generator(lambda: iter([array]), output_signature=tf.TensorSpec([2, 3]))
    for batch in made:
        tf.reduce_sum(batch)


@whole
def results_as_arguments() -> None:
    log = tf.function(lambda x: tf.math.log(x))  # HERE
    log(log(tf.constant([0.0, -1.0])).numpy())


@whole
def state_fed_again() -> None:
    tf1 = tf.compat.v1
    with tf.Graph().as_default():
        state = tf1.placeholder(tf.float32, [2])
        new = tf.math.log(state) * 2.0  # HERE
        with tf1.Session() as session:
            array = np.array([0.5, 1.5], "float32")
            for _ in range(4):
                array = session.run(new, {state: array})


@whole
def value_fed_to_a_variable() -> None:
    tf1 = tf.compat.v1
    with tf.Graph().as_default():
        weights = tf1.get_variable("weights", initializer=[1.0, 0.0], use_resource=True)
        spoil, given = weights.assign(tf.math.log(weights)).op, tf1.placeholder(tf.float32, [2])  # HERE
        back, loss = weights.assign(given).op, tf.reduce_sum(weights)
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(spoil)
            session.run(back, {given: session.run(weights)})
            session.run(loss)


@whole
def saver() -> None:
    tf1 = tf.compat.v1
    with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        weights = tf1.get_variable("weights", initializer=[1.0, 0.0], use_resource=True)
        spoil, loss = weights.assign(tf.math.log(weights)).op, tf.reduce_sum(weights)  # HERE
        keeper = tf1.train.Saver()
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            session.run(spoil)
            path = keeper.save(session, f"{folder}/model")
        with tf1.Session() as session:
            keeper.restore(session, path)
            session.run(loss)


@in_parts
def part_of_a_result() -> None:
    tf.reduce_sum(tf.constant(logarithm()[0, :2]))


@in_parts
def buffer_of_results() -> None:
    random = np.random.RandomState(0)
    act = tf.function(lambda state: tf.math.log(state))
    states = [random.rand(3).astype("float32") * (step != 3) for step in range(6)]
    results = [act(tf.constant(state)).numpy() for state in states]
    tf.reduce_mean(np.stack(results)[[1, 3, 5]])


@pytest.mark.parametrize("program", WHOLE, ids=lambda program: program.__name__)
def test_what_comes_back_is_no_trouble_of_its_own(program: Program, tmp_path: Path) -> None:
    found = causes(program, tmp_path)
    outside = {"bad_input_data", "bad_variable", "returned_from_python"}
    assert [origin["explanation"] for origin in found if origin["cause"] in outside] == []
    if "# HERE" in inspect.getsource(program):
        assert [origin["source"]["line"] for origin in found] == [line_of(program)]


@pytest.mark.parametrize("program", PARTS, ids=lambda program: program.__name__)
def test_what_was_made_of_it_in_python_is_likely_the_same_trouble(program: Program, tmp_path: Path) -> None:
    first, later = causes(program, tmp_path)
    assert first["cause"].startswith("log_of")
    assert later["cause"] == "returned_from_python"
    assert f"Python already held {first['tensor']}" in later["explanation"]
    assert first["tensor"] in later["suggestion"]


def another_array() -> None:
    logarithm()
    data = np.ones([5, 3, 2], "float32")
    data[2, 1, 0] = np.nan
    tf.reduce_sum(tf.constant(data))


def after_a_harmless_infinity() -> None:
    x = tf.constant([0.0, 1.0])
    tf.where(x > 0, tf.math.log(x), 0.0)
    tf.reduce_sum(tf.constant(np.array([[1.0, np.nan], [2.0, 3.0]], "float32")))


@pytest.mark.parametrize("program", [another_array, after_a_harmless_infinity], ids=lambda program: program.__name__)
def test_data_that_is_bad_by_itself_is_named(program: Program, tmp_path: Path) -> None:
    assert "bad_input_data" in [origin["cause"] for origin in causes(program, tmp_path)]


SCORES = np.random.RandomState(1).rand(4, 4).astype("float32")
MASK = np.where(np.arange(4)[:, None] == 2, -np.inf, np.zeros([4, 4])).astype("float32")


def mask_in_two_operations() -> list[str]:
    tf.nn.softmax(tf.constant(SCORES) + MASK)
    tf.nn.softmax(tf.constant(SCORES) * 2 + MASK)
    return ["fully_masked_softmax"] * 2


def mask_in_two_functions() -> list[str]:
    first = tf.function(lambda scores, mask: (scores + mask, tf.nn.softmax(scores + mask)))
    second = tf.function(lambda scores, mask: tf.nn.softmax(2 * scores + mask))
    for _ in range(2):
        first(SCORES, MASK)
        second(SCORES, MASK)
    return ["fully_masked_softmax"] * 2


def padding_in_two_products() -> list[str]:
    padding = np.full([4], -np.inf, "float32")
    tf.zeros([4]) * padding
    tf.zeros([4]) * tf.constant(padding)
    return ["zero_times_inf"] * 2


def best_value_set_again() -> list[str]:
    best = tf.Variable(np.inf)
    for _ in range(2):
        best.assign(np.inf)
        for loss in (3.0, 2.0):
            best.assign(tf.minimum(best, loss))
    best.assign(np.inf)
    tf.function(lambda worst: worst - best)(tf.constant(np.inf, tf.float32))
    return ["bad_variable", "inf_minus_inf"]


def bad_row_in_two_epochs() -> list[str]:
    data, weights = X.copy(), tf.Variable([1.0, 2.0, 3.0])
    data[5] = np.nan
    step = tf.function(lambda batch: tf.reduce_sum(batch * weights))
    for _ in range(2):
        for first in range(0, 32, 8):
            step(data[first : first + 8])
    return ["bad_input_data"]


def infinite_weights_set() -> list[str]:
    each = model(broken=False)
    each.fit(X, Y, verbose=0)
    each.set_weights([np.where(held > 0, np.inf, -np.inf).astype("float32") for held in each.get_weights()])
    each.fit(X, Y, verbose=0)
    return ["bad_variable"]


def infinite_weights_of_one_sign_set() -> list[str]:
    each = model(broken=False)
    each.fit(X, Y, verbose=0)
    kernel, *others = each.get_weights()
    each.set_weights([np.full_like(kernel, np.inf), *others])
    each.fit(X, Y, verbose=0)
    return ["bad_variable"]


def mask_set_in_a_variable() -> list[str]:
    mask = tf.Variable(tf.zeros((2, 2)))
    mask.assign([[0.0, -np.inf], [-np.inf, -np.inf]])
    tf.function(lambda logits: tf.nn.softmax(logits + mask))(tf.ones((2, 2)))
    return ["bad_variable", "fully_masked_softmax"]


AGAIN: list[Callable[[], list[str]]] = [
    mask_in_two_operations,
    mask_in_two_functions,
    padding_in_two_products,
    best_value_set_again,
    infinite_weights_set,
    infinite_weights_of_one_sign_set,
    mask_set_in_a_variable,
    bad_row_in_two_epochs,
]


@pytest.mark.parametrize("program", AGAIN, ids=lambda program: program.__name__)
def test_what_is_given_again_did_not_come_back(program: Callable[[], list[str]], tmp_path: Path) -> None:
    expected: list[str] = []
    found = causes(lambda: expected.extend(program()), tmp_path)
    assert [origin["cause"] for origin in found] == expected
