"""Of an operation that failed, where the shape, type or number came from: the line, told by looking at the data."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.report.findings.why_text import render
from tensordbg.wire.why import why_to_json


def an_index_eagerly() -> None:
    index = tf.constant([1, 2, 7])
    twice = index * 2  # HERE
    tf.gather(tf.range(10), tf.reshape(twice, [3, 1]))


def an_index_in_a_function() -> None:
    @tf.function
    def pick(table: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
        twice = index * 2  # HERE
        return tf.gather(table, twice)

    pick(tf.range(10), tf.constant([1, 2, 3]))
    pick(tf.range(10), tf.constant([1, 2, 7]))


def an_index_in_a_later_turn_of_a_loop() -> None:
    @tf.function
    def total(table: tf.Tensor) -> tf.Tensor:
        place, found = tf.constant(1), tf.constant(0)
        while place < 1000:
            found += tf.gather(table, place)
            place *= 3  # HERE
        return found

    total(tf.range(10))


def an_index_that_a_called_function_made() -> None:
    @tf.function
    def moved(index: tf.Tensor) -> tf.Tensor:
        return index + 5  # HERE

    @tf.function
    def pick(table: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
        return tf.gather(table, tf.identity(moved(index)))

    pick(tf.range(10), tf.constant([1, 6]))


def a_reshape_that_changed_the_batch() -> None:
    hidden = tf.matmul(tf.ones([32, 6]), tf.ones([6, 4]))
    flat = tf.reshape(hidden, [-1, 8])  # HERE
    tf.subtract(tf.nn.relu(flat) * 2.0, tf.ones([32, 8]))


def a_reshape_that_changed_the_batch_in_a_function() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 6]), tf.TensorSpec([None, 8])])
    def loss(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        hidden = tf.matmul(x, tf.ones([6, 4]))
        flat = tf.reshape(hidden, [-1, 8])  # HERE
        return tf.reduce_mean((flat * 2.0 - y) ** 2)

    loss(tf.ones([32, 6]), tf.ones([32, 8]))


def a_mask() -> None:
    x = tf.ones([8, 5])
    kept = tf.boolean_mask(x, [True, False] * 4)  # HERE
    tf.add(kept, tf.ones([8, 5]))


def a_concatenation() -> None:
    x = tf.ones([4, 3])
    wide = tf.concat([x, x], axis=1)  # HERE
    tf.matmul(tf.nn.relu(wide), tf.ones([3, 2]))


def a_mean_over_the_batch() -> None:
    x = tf.ones([4, 3])
    mean = tf.reduce_mean(x, axis=0)  # HERE
    tf.add(mean, tf.ones([4]))


def a_transpose() -> None:
    x = tf.transpose(tf.ones([4, 3]))  # HERE
    tf.ensure_shape(tf.nn.relu(x), [4, 3])


def a_broadcast_that_nobody_meant() -> None:
    labels = tf.ones([4, 1])
    error = tf.ones([4]) - labels  # HERE
    tf.reshape(tf.square(error), [4])


def the_last_batch_of_a_dataset() -> None:
    state = tf.Variable(tf.zeros([4, 2]))

    @tf.function(reduce_retracing=True)
    def step(x: tf.Tensor) -> None:
        state.assign_add(x)

    for batch in tf.data.Dataset.from_tensor_slices(tf.ones([10, 2])).batch(4):  # HERE
        step(batch)


def a_cast() -> None:
    x = tf.reduce_sum(tf.constant([0.5]))
    wide = tf.cast(x, tf.float64)  # HERE
    tf.multiply(tf.ones([3]), wide + 1)


def an_integer_that_went_round() -> None:
    image = tf.constant(np.full([2, 2], 200, np.uint8))
    bright = image + 100  # HERE
    index = tf.cast(bright, tf.int32) - 60
    tf.gather(tf.range(256), index)


def a_label_of_a_fit() -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(3, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(np.ones([8, 3]), np.array([0, 1, 2, 3, 0, 1, 2, 1]), verbose=0, batch_size=4)  # HERE


def a_feed_of_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as running:
        given = tf.compat.v1.placeholder(tf.int32, [None])
        index = given + 5  # HERE
        found = tf.gather(tf.constant([1.0, 2.0, 3.0]), index)
        running.run(found, {given: [0, 1]})


def a_reshape_while_traced() -> None:
    @tf.function
    def loss(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        hidden = tf.matmul(x, tf.ones([6, 4]))
        flat = tf.reshape(hidden, [-1, 8])  # HERE
        return tf.reduce_mean((flat * 2.0 - y) ** 2)

    loss(tf.ones([32, 6]), tf.ones([32, 8]))


def a_concatenation_outside_of_a_branch_while_traced() -> None:
    @tf.function
    def step(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        h = tf.concat([x, x], axis=0)  # HERE
        if tf.reduce_sum(h) > 0:
            return tf.nn.relu(h) - y
        return y

    step(tf.ones([4, 3]), tf.ones([4, 3]))


def a_cast_while_traced() -> None:
    @tf.function
    def product(x: tf.Tensor) -> tf.Tensor:
        wide = tf.cast(x, tf.float64)  # HERE
        return tf.matmul(wide * 2, tf.ones([3, 2]))

    product(tf.ones([2, 3], tf.int32))


def what_a_layer_was_given() -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2, name="head")])
    x = tf.squeeze(tf.ones([4, 3, 1]), -1)
    wide = tf.concat([x, x], 1)  # HERE
    model(tf.nn.relu(wide))


def what_a_layer_was_given_in_a_fit() -> None:
    class Net(tf.keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.head = tf.keras.layers.Dense(10)
            self.head.build((None, 100))

        def call(self, x: tf.Tensor) -> tf.Tensor:
            flat = tf.reshape(x, [-1, 64])  # HERE
            return self.head(flat)

    net = Net()
    net.compile("adam", "mse")
    net.fit(np.zeros([8, 8, 8]), np.zeros([8, 10]), verbose=0)


def a_graph_of_tensorflow_1() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 10])
        wide = tf.concat([x, x], 1)  # HERE
        tf.matmul(wide, tf.ones([10, 3]))


def the_map_of_a_dataset() -> None:
    def parse(number: tf.Tensor) -> tf.Tensor:
        place = number * 3  # HERE
        return tf.gather(tf.range(20), place)

    for _ in tf.data.Dataset.range(10).map(parse, num_parallel_calls=2).prefetch(2):
        pass


def the_second_map_of_a_dataset_in_a_fit() -> None:
    def crop(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.gather(x, tf.range(3)), y

    def label(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        place = tf.cast(y, tf.int32) + 2  # HERE
        return x, tf.gather(tf.range(5.0), place)

    data = tf.data.Dataset.from_tensor_slices((np.ones([20, 4]), np.arange(20) // 3))
    data = data.map(crop, num_parallel_calls=tf.data.AUTOTUNE).map(label, num_parallel_calls=tf.data.AUTOTUNE)
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(data.batch(4).prefetch(1), verbose=0, shuffle=False)


def labels_that_the_map_of_a_dataset_hands_on_in_a_fit() -> None:
    def prepare(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return x / 255.0, y

    images, labels = np.ones([20, 4], np.float32), np.arange(20) % 4
    data = tf.data.Dataset.from_tensor_slices((images, labels))  # HERE
    model = tf.keras.Sequential([tf.keras.layers.Dense(3)])
    model.compile("sgd", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(data.map(prepare).shuffle(20, seed=1).batch(10), verbose=0, shuffle=False)


def what_an_assertion_compared() -> None:
    total = tf.reduce_sum(tf.constant([1.0, 2.0]))  # HERE
    tf.debugging.assert_equal(total, 4.0, message="the sum must be 4")


def what_an_assertion_compared_in_a_function() -> None:
    @tf.function
    def checked(x: tf.Tensor) -> tf.Tensor:
        total = tf.reduce_sum(x)  # HERE
        tf.debugging.assert_less(total, 2.0)
        return total

    checked(tf.constant([1.0, 2.0]))


def a_size_that_an_assertion_compared() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 1]), tf.TensorSpec([None])])
    def pairwise(scores: tf.Tensor, targets: tf.Tensor) -> tf.Tensor:
        apart = scores - targets  # HERE
        weights = tf.nn.softmax(apart)
        tf.debugging.assert_equal(tf.shape(weights)[1], 1)
        return weights

    pairwise(tf.ones([6, 1]), tf.ones([6]))


def what_an_assertion_of_nearness_compared() -> None:
    @tf.function
    def checked(x: tf.Tensor) -> tf.Tensor:
        total = tf.reduce_sum(x)  # HERE
        tf.debugging.assert_near(total, 1.0)
        return total

    checked(tf.constant([1.0, 2.0]))


def an_element_of_a_generator_that_fits_no_batch() -> None:
    def images() -> Iterator[Any]:
        for width in (2, 2, 3):
            yield np.ones([2, width], np.float32)  # HERE

    data = tf.data.Dataset.from_generator(lambda: images(), output_signature=tf.TensorSpec([2, None]))
    list(data.map(lambda image: image * 2.0).batch(3))


def a_part_of_a_place() -> None:
    actions = tf.constant([0, 1]) + 2  # HERE
    places = tf.stack([tf.range(2), actions], axis=1)
    tf.gather_nd(tf.ones([2, 3]), places)


def a_sparse_place() -> None:
    places = tf.constant([[0, 0], [1, 3]], tf.int64) + 1  # HERE
    words = tf.sparse.SparseTensor(places, [1.0, 2.0], [3, 4])
    tf.sparse.sparse_dense_matmul(words, tf.ones([4, 2]))


def a_cast_before_the_function() -> None:
    @tf.function
    def step(x: tf.Tensor, weights: tf.Tensor) -> tf.Tensor:
        return x * weights

    weights = tf.cast(tf.constant([1, 2]), tf.float64)  # HERE
    step(tf.constant([1.0, 2.0]), tf.reshape(weights, [2]))


def a_cast_before_a_method_with_a_signature() -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            self.w = tf.Variable(tf.ones([2]))

        @tf.function(input_signature=[{"x": tf.TensorSpec([None], tf.float64)}])
        def __call__(self, batch: dict[str, tf.Tensor]) -> tf.Tensor:
            return batch["x"] * self.w

    Model()({"x": tf.cast([1, 2], tf.float64)})  # HERE


def a_cast_outside_of_a_function_in_a_loop() -> None:
    @tf.function
    def grow(state: tf.Tensor, rate: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            state = state + rate
        return state

    @tf.function
    def step(x: tf.Tensor, rate: tf.Tensor) -> tf.Tensor:
        wide = tf.cast(x, tf.float64)  # HERE
        return grow(wide * 2.0, rate)

    step(tf.ones([2]), tf.constant([1.0, 2.0]))


def a_shape_that_a_loop_was_given() -> None:
    @tf.function
    def run(x: tf.Tensor, rate: tf.Tensor) -> tf.Tensor:
        flat = tf.reshape(x, [4])  # HERE
        return tf.while_loop(lambda i, _: i < 3, lambda i, state: (i + 1, state * rate), [0, flat])[1]

    run(tf.ones([2, 2]), tf.constant([1.0, 2.0, 3.0]))


def a_number_with_what_is_whole() -> None:
    @tf.function
    def pick(x: tf.Tensor) -> tf.Tensor:
        place = tf.argmax(x, 1)  # HERE
        return place * 0.5

    pick(tf.ones([2, 3]))


CASES: list[tuple[Callable[[], None], str, str]] = [
    (an_index_eagerly, "value", "Mul:0 made 14 of 1 to 7 and 2"),
    (an_index_in_a_function, "value", "mul:0 made 14 of 1 to 7 and 2"),
    (an_index_in_a_later_turn_of_a_loop, "value", "made 27 of 9 and 3"),
    (an_index_that_a_called_function_made, "value", "made 11 of 1 to 6 and 5"),
    (a_reshape_that_changed_the_batch, "shape", "made [16, 8] of [32, 4]"),
    (a_reshape_that_changed_the_batch_in_a_function, "shape", "made [16, 8] of [32, 4]"),
    (a_mask, "shape", "chose 4 out of [8]"),
    (a_concatenation, "shape", "made [4, 6] of [4, 3] and [4, 3]"),
    (a_mean_over_the_batch, "shape", "made [3] of [4, 3]"),
    (a_transpose, "shape", "made [3, 4] of [4, 3]"),
    (a_broadcast_that_nobody_meant, "shape", "spread [4] and [4, 1] over each other, which gave [4, 4]"),
    (the_last_batch_of_a_dataset, "shape", "took it out of the input pipeline with [2, 2]; before, it gave [4, 2]"),
    (a_cast, "dtype", "made float64 of float32"),
    (an_integer_that_went_round, "wrapped", "of uint8 went round: 200 and 100 gave 44"),
    (a_label_of_a_fit, "value", "took it out of the input pipeline with 3 among its numbers"),
    (a_reshape_while_traced, "shape", "Reshape:0 made [16, 8] of [32, 4]"),
    (a_concatenation_outside_of_a_branch_while_traced, "shape", "concat:0 made [8, 3] of [4, 3] and [4, 3]"),
    (a_cast_while_traced, "dtype", "Cast:0 made float64 of int32"),
    (a_cast_before_the_function, "dtype", "Cast:0 made float64 of int32"),
    (a_cast_before_a_method_with_a_signature, "dtype", "Cast:0 made float64 of int32"),
    (a_cast_outside_of_a_function_in_a_loop, "dtype", "Cast:0 made float64 of float32"),
    (a_shape_that_a_loop_was_given, "shape", "Reshape:0 made [4] of [2, 2]"),
    (a_number_with_what_is_whole, "dtype", "ArgMax:0 made int64 of float32"),
    (what_a_layer_was_given, "shape", "made [4, 6] of [4, 3] and [4, 3]"),
    (what_a_layer_was_given_in_a_fit, "shape", "made [?, 64] of [?, 8, 8]"),
    (a_graph_of_tensorflow_1, "shape", "concat:0 made [?, 20] of [?, 10] and [?, 10]"),
    (the_map_of_a_dataset, "value", "mul:0 made 21 of 7 and 3"),
    (the_second_map_of_a_dataset_in_a_fit, "value", "made 5 of 3 and 2"),
    (labels_that_the_map_of_a_dataset_hands_on_in_a_fit, "value", "it came in from Python with 3 among its numbers"),
    (what_an_assertion_compared, "value", "Sum:0 made 3 of 1 to 2"),
    (what_an_assertion_compared_in_a_function, "value", "Sum:0 made 3 of 1 to 2"),
    (a_feed_of_a_session, "value", "made 5 of 0 to 1 and 5"),
    (a_size_that_an_assertion_compared, "shape", "spread [6, 1] and [6] over each other, which gave [6, 6]"),
    (what_an_assertion_of_nearness_compared, "value", "Sum:0 made 3 of 1 to 2"),
    (an_element_of_a_generator_that_fits_no_batch, "shape", "PyFunc:0 made [2, 3]"),
    (a_part_of_a_place, "value", "made 3 of 0 to 1 and 2"),
    (a_sparse_place, "value", "made 4 of 0 to 3 and 1"),
]


def answer_of(program: Callable[[], None], folder: Path) -> tuple[dict[str, Any], str]:
    with contextlib.suppress(Exception), tensordbg.record(folder) as recording:
        program()
    result = tensordbg.open(recording.path).why()
    (failure,) = why_to_json(result)["failures"]
    return failure, render(result)


def line_of(program: Callable[[], None]) -> int:
    texts, first = inspect.getsourcelines(program)
    (line,) = (first + k for k, text in enumerate(texts) if text.rstrip().endswith("# HERE"))
    return line


@pytest.mark.parametrize(("program", "what", "said"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_line_is_told_where_it_began(program: Callable[[], None], what: str, said: str, tmp_path: Path) -> None:
    failure, text = answer_of(program, tmp_path)
    began = failure["beginnings"][0]
    assert (began["what"], began["source"]["line"]) == (what, line_of(program))
    assert said in began["explanation"]
    assert said in " ".join(text.split())


class Table(tf.Module):
    def __init__(self, rows: int) -> None:
        super().__init__()
        self.rows = tf.Variable(tf.zeros([rows, 7]), name="rows")  # HERE

    @tf.function
    def look_up(self, ids: tf.Tensor) -> tf.Tensor:
        return tf.gather(self.rows, ids)

    @tf.function
    def product(self, x: tf.Tensor) -> tf.Tensor:
        return tf.matmul(x, self.rows)


@pytest.mark.parametrize(
    "use",
    [
        lambda table: table.rows.assign(tf.zeros([12, 7])),
        lambda table: tf.matmul(tf.zeros([2, 9]), table.rows),
        lambda table: table.look_up(tf.constant([3, 10])),
        lambda table: table.product(tf.zeros([2, 9])),
    ],
)
def test_of_a_variable_the_line_that_made_it_is_told(use: Callable[[Table], object], tmp_path: Path) -> None:
    failure, _ = answer_of(lambda: use(Table(10)), tmp_path)  # type: ignore[arg-type, return-value]
    told = [each for each in failure["beginnings"] if each["explanation"].startswith("the variable rows was made here")]
    (only,) = told
    assert only["explanation"].endswith("with the shape [10, 7]")
    assert only["source"]["text"].endswith("# HERE")


def test_of_a_dataset_the_row_is_told(tmp_path: Path) -> None:
    def program() -> None:
        rows = np.arange(60.0, dtype=np.float32).reshape(20, 3)
        rows[13, 2] = 77.0
        table = tf.range(60)
        for _ in tf.data.Dataset.from_tensor_slices(rows).map(lambda row: tf.gather(table, tf.cast(row[2], tf.int32))):
            pass

    failure, _ = answer_of(program, tmp_path)
    told = [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"]
    (only,) = told
    assert only in {
        "this call of lambda given to map was given row [39, 40, 77]; several run at a time, and 13 had begun before",
        # TensorFlow 2.16 runs one at a time.
        "13 calls of lambda given to map had begun before this one, which was given row [39, 40, 77]",
    }


def test_of_strings_the_text_is_told_and_no_length_as_a_number(tmp_path: Path) -> None:
    def program() -> None:
        data = tf.data.Dataset.from_tensor_slices(["1", "25", "x7"])
        for _ in data.map(lambda text: tf.strings.to_number(tf.strings.strip(text)), num_parallel_calls=2):
            pass

    failure, _ = answer_of(program, tmp_path)
    (only,) = [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"]
    assert only.startswith("this call of lambda given to map was given text 'x7'; several run at a time, and ")


def test_of_strings_that_were_compared_the_lengths_are_told_as_such(tmp_path: Path) -> None:
    def program() -> None:
        have = tf.strings.lower(tf.constant(["Fig", "Apple"]))
        tf.debugging.assert_equal(have, tf.constant(["fig", "pear"]))

    failure, _ = answer_of(program, tmp_path)
    (only,) = [each["explanation"] for each in failure["beginnings"]]
    assert only == "StringLower:0 made strings of 3 to 5 bytes of strings of 3 to 5 bytes"


def test_of_a_dataset_what_its_function_captured_is_no_part_of_the_element(tmp_path: Path) -> None:
    def program() -> None:
        table = tf.constant([1.0, 2.0, 3.0])

        def parse(i: tf.Tensor) -> tf.Tensor:
            return tf.gather(table, tf.where(i == 17, tf.constant(9, tf.int64), i % 3))

        for _ in tf.data.Dataset.range(40).map(parse, num_parallel_calls=4):
            pass

    failure, _ = answer_of(program, tmp_path)
    (only,) = [each["explanation"] for each in failure["beginnings"] if each["what"] == "element"]
    assert only.startswith("this call of parse() was given i 17; several run at a time, and ")


def test_an_assertion_in_the_function_of_a_dataset_is_told_at_its_line(tmp_path: Path) -> None:
    def program() -> None:
        def parse(i: tf.Tensor) -> tf.Tensor:
            tf.debugging.assert_less(i, tf.constant(7, tf.int64), message="too big")  # HERE
            return i

        for _ in tf.data.Dataset.range(9).map(parse, num_parallel_calls=2):
            pass

    failure, _ = answer_of(program, tmp_path)
    assert failure["source"]["text"].endswith("# HERE")
    assert "[too big]" in failure["message"]


def test_of_a_dataset_the_line_in_its_function_is_the_lines_that_failed(tmp_path: Path) -> None:
    failure, _ = answer_of(the_map_of_a_dataset, tmp_path)
    assert (failure["op_type"], failure["source"]["line"]) == ("GatherV2", line_of(the_map_of_a_dataset) + 1)
    assert [each["health"] and each["health"]["max"] for each in failure["inputs"]] == [19, 21, None]


def test_the_layer_that_refused_its_input_is_named(tmp_path: Path) -> None:
    failure, text = answer_of(what_a_layer_was_given, tmp_path)
    assert failure["layer"].endswith("/head")
    assert [each["shape"] for each in failure["inputs"]] == [[4, 6]]
    assert text.startswith(f"raised ValueError in layer {failure['layer']}, ")
    assert "\x1b" not in text


def test_an_element_that_a_generator_yields_is_refused_at_its_yield(tmp_path: Path) -> None:
    def rows() -> Iterator[Any]:
        for width in (2, 3):
            row = np.ones(width, np.float32)
            yield row

    def program() -> None:
        signature = tf.TensorSpec([2])
        list(tf.data.Dataset.from_generator(rows, output_signature=signature))

    failure, _ = answer_of(program, tmp_path)
    assert failure["op_type"] == "PyFunc"
    assert failure["source"]["text"] == "yield row"
    assert [line["function"] for line in failure["stack"] if line["user"]][-2:] == ["program", "rows"]


def of_a_matrix_that_is_singular() -> None:
    tf.linalg.inv(tf.zeros([2, 2]))


def of_what_the_line_itself_makes() -> None:
    tf.matmul(tf.ones([4, 3]), tf.ones([4, 3]))


@pytest.mark.parametrize("program", [of_a_matrix_that_is_singular, of_what_the_line_itself_makes])
def test_nothing_is_told_where_nothing_is_known_beyond_the_line(program: Callable[[], None], tmp_path: Path) -> None:
    assert answer_of(program, tmp_path)[0]["beginnings"] == []


def test_sizes_that_were_known_while_tracing_are_elements_of_the_input(tmp_path: Path) -> None:
    @tf.function
    def wrong(x: tf.Tensor) -> tf.Tensor:
        return tf.reshape(tf.zeros([6, 7]), [tf.size(x), 5])

    failure, text = answer_of(lambda: wrong(tf.zeros([4, 2])), tmp_path)
    assert [each["elements"] for each in failure["inputs"]] == [None, "[8, 5]"]
    assert "[8, 5]" in text


def test_in_a_layer_the_message_ends_without_what_the_runtime_adds(tmp_path: Path) -> None:
    def program() -> None:
        class Added(keras.layers.Layer):  # type: ignore[misc]
            def call(self, x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
                return tf.add(x, y)

        Added()(tf.ones([2, 3]), tf.ones([2, 4]))

    _, text = answer_of(program, tmp_path)
    lead = text.partition("\n/")[0]
    assert "Incompatible shapes: [2,3] vs. [2,4]" in " ".join(lead.split())
    assert "name" not in lead
