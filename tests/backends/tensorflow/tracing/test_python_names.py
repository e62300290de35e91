"""What a program calls its tensors is told, and the states of its loops are recorded turn by turn."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.tensors.show import history_of
from tensordbg.backends.tensorflow.internals import autograph, autograph_operators, control_flow, while_v2
from tests.backends.tensorflow.recorded import record, shown


def test_the_state_of_each_turn_of_a_while_loop_with_branches(tmp_path: Path) -> None:
    @tf.function
    def collatz(n: Any) -> Any:
        while n > 1:
            if n % 2 == 0:
                n //= 2
            else:
                n = 3 * n + 1
        return n

    assert shown(tmp_path, lambda: collatz(tf.constant(6)))("n") == [6, 3, 10, 5, 16, 8, 4, 2, 1]


def test_nested_loops_with_states_that_python_numbers_begin(tmp_path: Path) -> None:
    @tf.function
    def nested(n: Any) -> Any:
        outer, total = 0, 0
        while outer < n:
            inner = 0
            while inner < outer:
                total += inner
                inner += 1
            outer += 1
        return total

    values = shown(tmp_path, lambda: nested(tf.constant(3)))
    assert values("outer") == [0, 1, 2, 3]
    # The inner loop ran for outer = 0, 1, 2.
    assert sorted(values("inner")) == sorted([0, 0, 1, 0, 1, 2])


def test_targets_of_for_loops_and_what_they_accumulate(tmp_path: Path) -> None:
    @tf.function
    def run(items: Any) -> Any:
        made = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        kept = []
        for turn in tf.range(3):
            made = made.write(turn, items[turn] * 10.0)
        total = 0.0
        for item in items:
            total += item
        for index, (left, right) in tf.data.Dataset.from_tensor_slices(([7.0, 8.0], [1.0, 2.0])).enumerate():
            total += left * right + tf.cast(index, tf.float32)
        kept.append(total)
        return made.stack(), kept

    values = shown(tmp_path, lambda: run(tf.constant([1.0, 2.0, 3.0])))
    assert values("turn") == [0, 1, 2]
    assert values("made") == [10, 20, 30]
    assert values("item") == [1, 2, 3]
    assert values("left") == [7, 8]
    assert values("right") == [1, 2]
    assert values("index") == [0, 1]


def test_a_sparse_argument_whose_indices_a_result_has_too(tmp_path: Path) -> None:
    @tf.function
    def run(s: Any) -> Any:
        doubled = s * 2
        return tf.sparse.to_dense(doubled)

    reader = record(tmp_path, lambda: run(tf.sparse.from_dense([[0, 3], [4, 0]])), detail="values").reader
    for name, largest in (("s", 4), ("doubled", 8)):
        (point,) = history_of(reader, name).points
        assert point.text.startswith("SparseTensor(")
        assert point.health is not None
        assert (point.dtype, point.health.max) == ("int32", largest)


def test_a_function_that_is_called_like_a_name_in_it(tmp_path: Path) -> None:
    @tf.function
    def loss(x: Any) -> Any:
        loss = x * 2.0
        return loss + 1.0

    assert shown(tmp_path, lambda: loss(tf.constant(1.0)))("loss") == [2]


def test_loops_and_maps_of_tensorflow_itself(tmp_path: Path) -> None:
    def halved(value: Any) -> Any:
        return value / 2.0

    @tf.function
    def run(x: Any) -> Any:
        _, doubled = tf.while_loop(lambda k, s: k < 3, lambda k, s: (k + 1, s * 2.0), (0, x))
        tripled = tf.map_fn(lambda each: each * 3.0, tf.stack([x, doubled]))
        summed = tf.scan(lambda before, new: before + new, tripled)
        return tf.map_fn(halved, summed)

    values = shown(tmp_path, lambda: run(tf.constant(1.0)))
    assert values("k") == [0, 1, 2, 3]
    assert values("s") == [1, 2, 4, 8]
    assert values("each") == [1, 8]
    assert values("before") == [3]
    assert values("new") == [24]
    assert values("value") == [3, 27]


def test_arguments_of_functions_given_to_datasets(tmp_path: Path) -> None:
    def prepare(batch: Any, label: Any) -> Any:
        return batch["ids"] + 1, label

    def program() -> None:
        data = tf.data.Dataset.from_tensor_slices(({"ids": [1, 2, 3]}, [4.0, 5.0, 6.0])).map(prepare)
        for _ in data:
            pass

    values = shown(tmp_path, program)
    # Several elements may be prepared at once.
    assert sorted(values("batch['ids']")) == [1, 2, 3]
    assert sorted(values("label")) == [4, 5, 6]


def test_arguments_that_stars_and_keywords_take(tmp_path: Path) -> None:
    @tf.function
    def run(first: Any, *more: Any, scale: Any, **named: Any) -> Any:
        return (first + more[0] + more[1]) * scale + named["shift"]

    def program() -> None:
        run(*map(tf.constant, (1.0, 2.0, 3.0)), scale=tf.constant(4.0), shift=tf.constant(5.0))

    values = shown(tmp_path, program)
    names = ("first", "more[0]", "more[1]", "scale", "named['shift']", "shift")
    assert [values(name) for name in names] == [[1], [2], [3], [4], [5], [5]]


def test_a_loop_that_ends_at_once_or_is_never_entered(tmp_path: Path) -> None:
    @tf.function
    def run(n: Any) -> Any:
        while n > 100:
            n -= 1
        return n

    assert shown(tmp_path, lambda: (run(tf.constant(5)), run(tf.constant(101))))("n") == [5, 101, 100]


def test_the_program_computes_the_same_with_the_same_gradients(tmp_path: Path) -> None:
    def make() -> Callable[[Any], Any]:
        @tf.function
        def step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                tape.watch(x)
                total, state = 0.0, x
                for factor in tf.constant([0.5, 1.5, 2.5]):
                    if tf.reduce_sum(state) > 1.0:
                        state = tf.sin(state) * factor
                    else:
                        state = state + tf.map_fn(lambda part: part * part, state)
                    total += tf.reduce_sum(state)
            return total, tape.gradient(total, x)

        return step

    x = tf.constant([random.Random(7).uniform(0, 1) for _ in range(5)])
    plain, seen = make()(x), []
    record(tmp_path, lambda: seen.append(make()(x)))
    assert [each.numpy().tolist() for each in plain] == [each.numpy().tolist() for each in seen[0]]


def test_what_is_not_the_programs_has_no_names_and_costs_nothing(tmp_path: Path) -> None:
    layer = tf.keras.layers.SimpleRNN(3)

    def program() -> None:
        tf.function(layer)(tf.ones([2, 4, 3]))

    found = record(tmp_path, program)
    arguments = {site.site for site in found.sites.values() if site.argument >= 0}
    in_turns = [event for event in found.events if event.row["site"] in arguments and event.iteration is not None]
    assert in_turns == []


def test_errors_of_the_program_are_its_own(tmp_path: Path) -> None:
    @tf.function
    def run(n: Any) -> Any:
        while n > 0:
            n = tf.constant([1.0, 2.0])
        return n

    def program() -> None:
        with pytest.raises(
            TypeError, match="'n' has dtype int32 before the loop, but dtype float32 after one iteration"
        ):
            run(tf.constant(5))

    record(tmp_path, program)


def test_the_hooks_are_taken_out_again(tmp_path: Path) -> None:
    def hooks() -> list[Any]:
        return [
            *(vars(control_flow)[name] for name in ("_tf_while_stmt", "_tf_if_stmt")),
            *(vars(autograph)[name] for name in ("converted_call", "tf_convert")),
            *(vars(autograph_operators())[name] for name in ("for_stmt", "if_exp", "converted_call")),
            while_v2.while_loop,
        ]

    before, during = hooks(), []
    record(tmp_path, lambda: during.extend(hooks()))
    assert hooks() == before
    assert not set(map(id, before)) & set(map(id, during))
