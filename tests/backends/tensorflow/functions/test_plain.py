"""Functions without probes for the steps that are left out: the same numbers, errors and functions, traced once."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.functions.plain import PlainFunctions
from tensordbg.backends.tensorflow.internals import context
from tensordbg.tensorflow import disable_check_numerics, enable_check_numerics

MARK = "_tdbg_plain"


def names() -> list[str]:
    return [name for name in context.context().list_function_names() if MARK in name]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names under which functions were called that were left out, empty for their own."""
    called: list[str] = []
    plain_call = PlainFunctions.call

    def call(self: PlainFunctions, guarded: Any, run: Callable[..., Any], given: Any) -> Any:
        def noted(*args: Any) -> Any:
            name = args[2] if isinstance(args[2], str) else args[2].decode()
            called.append(name if MARK in name else "")
            return run(*args)

        return plain_call(self, guarded, noted, given)

    monkeypatch.setattr(PlainFunctions, "call", call)
    return called


def outcomes(make: Callable[[], Callable[[int], Any]], steps: int = 6) -> list[Any]:
    tf.random.set_seed(5)
    function = make()
    return [function(step) for step in range(steps)]


def with_calls() -> Callable[[int], Any]:
    weight, traced = tf.Variable(0.5), []

    @tf.function
    def inner(x: Any) -> Any:
        return tf.math.log(x) * weight

    @tf.function
    def step(x: Any) -> Any:
        traced.append(1)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(inner(x))
            if y > 3.0:
                y = y * 2.0
            for _ in tf.range(3):
                y = y + inner(y + 3.0)
        weight.assign_sub(0.01 * tape.gradient(y, weight))
        return y

    return lambda number: (step(tf.fill([3], 2.0 + number)).numpy().item(), weight.numpy().item(), len(traced))


def with_dataset() -> Callable[[int], Any]:
    @tf.function
    def step(x: Any) -> Any:
        total = x
        for each in tf.data.Dataset.range(4).map(lambda each: each * 2):
            total += tf.cast(each, tf.float32)
        return total

    return lambda number: step(tf.constant(float(number))).numpy().item()


def with_gradient_from_outside() -> Callable[[int], Any]:
    weight = tf.Variable(1.5)
    function = tf.function(lambda x: tf.sin(x * weight))

    def step(number: int) -> Any:
        with tf.GradientTape() as tape:
            y = function(tf.constant(float(number)))
        return tape.gradient(y, weight).numpy().item()

    return step


@pytest.mark.parametrize("make", [with_calls, with_dataset, with_gradient_from_outside])
def test_what_it_computes_is_the_same(make: Callable[[], Any], plain: list[str], tmp_path: Path) -> None:
    expected = outcomes(make)
    with tensordbg.record(tmp_path, every=3):
        assert outcomes(make) == expected
    assert len(plain) >= 4
    assert all(plain)


def random_numbers() -> Callable[[int], Any]:
    step = tf.function(lambda: tf.random.normal([2]))
    return lambda _number: step().numpy().tolist()


def test_what_keeps_its_state_in_itself_is_there_once(plain: list[str], tmp_path: Path) -> None:
    expected = outcomes(random_numbers)
    with tensordbg.record(tmp_path, every=3):
        assert outcomes(random_numbers) == expected
    assert set(plain) == {""}


def test_an_error_speaks_of_the_function_that_the_program_has(plain: list[str], tmp_path: Path) -> None:
    messages = []

    @tf.function
    def inner(x: Any) -> Any:
        with tf.control_dependencies([tf.debugging.assert_positive(x, "not positive")]):
            return tf.identity(x)

    @tf.function
    def check(x: Any) -> Any:
        return inner(x)

    with tensordbg.record(tmp_path, every=2):
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError) as raised:
                check(tf.constant(-1.0))
            messages.append(str(raised.value))
    assert all(plain)
    assert MARK not in messages[1]
    assert messages[1].splitlines()[-1] == messages[0].splitlines()[-1]


def test_they_go_with_the_function(tmp_path: Path) -> None:
    gc.collect()
    before = names()
    with tensordbg.record(tmp_path, every=2):
        step = tf.function(lambda x: x * 2.0)
        for _ in range(2):
            step(tf.constant(1.0))
        assert len(names()) == len(before) + 1
        del step
        gc.collect()
        assert names() == before


def test_what_is_looked_at_for_something_else_keeps_its_nodes(plain: list[str], tmp_path: Path) -> None:
    with tensordbg.record(tmp_path, every=2):
        enable_check_numerics()
        try:
            outcomes(with_calls, 3)
        finally:
            disable_check_numerics()
    assert not plain
