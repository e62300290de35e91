"""Where what can't be seen lies behind a bad number, `why` says so of that program; else it says nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.framework.function import Defun

import tensordbg
from tests.e2e.programs.checking import marked_lines

v1 = tf.compat.v1


def told(program: Callable[[], object], folder: Path) -> tuple[str, ...]:
    """What `why` notes of a program."""
    with tensordbg.record(folder) as recording:
        program()
    notes = tensordbg.open(recording.path).why().notes
    return tuple(note for note in notes if "that were made before" not in note)


def logarithm_of_an_array(x: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return np.log(x).astype(np.float32)


def computed_with_numpy() -> object:
    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        logarithm = tf.numpy_function(logarithm_of_an_array, [x], tf.float32)  # HERE
        return logarithm + 1.0

    return step(tf.constant([1.0, 0.0]))


def computed_with_numpy_in_a_session() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [None], name="given")
        logarithm = v1.py_func(logarithm_of_an_array, [given], tf.float32)  # HERE
        return session.run(logarithm + 1.0, {given: [1.0, 0.0]})


def yielded_by_a_generator() -> object:
    def numbers() -> object:
        yield from logarithm_of_an_array(np.float32([1.0, 0.0]))  # HERE

    spec = tf.TensorSpec([], tf.float32)
    rows = tf.data.Dataset.from_generator(numbers, output_signature=spec)
    return [each + 1.0 for each in rows]


def logarithm_of(x: tf.Tensor) -> tf.Tensor:
    return tf.math.log(x)


def root_of(x: tf.Tensor) -> tf.Tensor:
    return tf.sqrt(x)


def computed_by_a_legacy_function() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        numbers = v1.data.Dataset.from_tensor_slices([1.0, 0.0]).map_with_legacy_function(logarithm_of)
        element = v1.data.make_one_shot_iterator(numbers).get_next()  # HERE
        return [session.run(element * 2.0) for _ in range(2)]


def computed_by_the_gradient_of_a_legacy_function() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [2], name="given")
        root = Defun(tf.float32)(root_of)(given)
        (gradient,) = tf.gradients(root, given)  # HERE
        return session.run(gradient, {given: [1.0, 0.0]})


def computed_by_a_function_kept_apart() -> object:
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.float32, [2], name="given")
        logarithm = Defun(tf.float32, noinline=True)(logarithm_of)(given)  # HERE
        return session.run(logarithm * 2.0, {given: [1.0, 0.0]})


@pytest.mark.parametrize(
    ("program", "said"),
    [
        (computed_by_a_legacy_function, f"what a legacy function of its input pipeline computes ({__file__}:"),
        (computed_by_the_gradient_of_a_legacy_function, "what SymbolicGradient runs, the gradient of a `Defun`"),
        (computed_by_a_function_kept_apart, "what logarithm_of_"),
        (computed_with_numpy, "what NumPy or plain Python computes in a function that a graph calls is not recorded"),
        (computed_with_numpy_in_a_session, "what NumPy or plain Python computes in a function that a graph calls"),
        (yielded_by_a_generator, "what a Python generator computes before it yields is not recorded"),
    ],
    ids=lambda given: getattr(given, "__name__", ""),
)
def test_the_line_where_the_trail_ends_is_told(program: Callable[[], object], said: str, tmp_path: Path) -> None:
    (note,) = told(program, tmp_path)
    (line,) = marked_lines(program)
    assert f"{__file__}:{line}): {said}" in note


def test_a_pipeline_from_before(tmp_path: Path) -> None:
    elements = iter(tf.data.Dataset.from_tensor_slices([2.0, 1.0]).map(lambda x: 1.0 / (x - 1.0)))
    (note,) = told(lambda: [next(elements) * 2.0 for _ in range(2)], tmp_path)
    assert note.startswith("IteratorGetNext:0 (IteratorGetNext, ")
    assert "its input pipeline was made before the recording began" in note


def test_a_queue_from_before(tmp_path: Path) -> None:
    queue = tf.queue.FIFOQueue(3, [tf.float32])
    queue.enqueue(np.float32(np.inf))
    (note,) = told(lambda: queue.dequeue() * 2.0, tmp_path)
    assert "nothing recorded had put anything into this queue" in note


def test_elements_of_a_data_service(tmp_path: Path) -> None:
    service = tf.data.experimental.service
    dispatcher = service.DispatchServer()
    worker = service.WorkerServer(service.WorkerConfig(dispatcher_address=dispatcher.target.split("://")[1]))
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 0.0]).map(tf.math.log)  # made outside: as in another process
    identifier = service.register_dataset(dispatcher.target, numbers)

    def program() -> object:
        rows = service.from_dataset_id(
            "parallel_epochs", dispatcher.target, identifier, element_spec=numbers.element_spec
        )
        return [each * 2.0 for each in rows]

    notes = told(program, tmp_path)
    assert "the elements were computed by the workers of a tf.data service" in notes[0]
    del worker


@pytest.mark.filterwarnings("ignore:.*tf.lite.Interpreter is deprecated:UserWarning")
def test_a_model_that_the_interpreter_of_tflite_runs(tmp_path: Path) -> None:
    function = tf.function(tf.math.log, input_signature=[tf.TensorSpec([2], tf.float32)])
    model = tf.lite.TFLiteConverter.from_concrete_functions([function.get_concrete_function()]).convert()

    def program() -> object:
        runner = tf.lite.Interpreter(model_content=model)
        runner.allocate_tensors()
        runner.set_tensor(runner.get_input_details()[0]["index"], np.float32([1.0, 0.0]))
        runner.invoke()
        return tf.reduce_sum(runner.get_tensor(runner.get_output_details()[0]["index"]))

    assert told(program, tmp_path) == ()
    (origin,) = tensordbg.open(tmp_path).why().origins
    assert origin.cause == "log_of_zero"


def test_nothing_is_said_where_all_was_seen_or_nothing_is_wrong(tmp_path: Path) -> None:
    def seen() -> object:
        return tf.math.log(tf.py_function(lambda x: x - x, [tf.constant([1.0, 2.0])], tf.float32))

    def finite() -> object:
        return tf.numpy_function(logarithm_of_an_array, [tf.constant([1.0, 2.0])], tf.float32) + 1.0

    assert told(seen, tmp_path / "seen") == told(finite, tmp_path / "finite") == ()
