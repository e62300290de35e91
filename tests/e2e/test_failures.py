"""Where an error of an operation ends the program, `tdbg why` tells the operation, its line and what it took."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf

import tensordbg
from tensordbg.report.findings.why_text import render
from tensordbg.trace.sealed.seal import seal_all
from tensordbg.wire.why import why_to_json
from tests import programs

LABELS = [0, 1, 7, 2]


@tf.function
def losses(logits: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)  # HERE


def in_a_function_that_another_calls() -> None:
    @tf.function
    def loss(x: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        return tf.reduce_mean(losses(x * 2.0, labels))

    loss(tf.ones([4, 3]), tf.constant([0, 0, 0, 0]))
    loss(tf.ones([4, 3]), tf.constant(LABELS))


def in_a_loop() -> None:
    @tf.function
    def total(logits: tf.Tensor, turns: tf.Tensor) -> tf.Tensor:
        found = tf.zeros([4])
        for turn in tf.range(turns):
            found += tf.nn.sparse_softmax_cross_entropy_with_logits(tf.range(turn, turn + 4), logits)  # HERE
        return found

    total(tf.ones([4, 5]), tf.constant(4))


def in_a_branch() -> None:
    @tf.function
    def chosen(logits: tf.Tensor, number: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        if number > 2:
            return tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)  # HERE
        return tf.zeros([4])

    chosen(tf.ones([4, 3]), tf.constant(3), tf.constant(LABELS))


def of_an_eager_operation() -> None:
    first = tf.ones([4, 3], tf.float16)
    second = tf.ones([4, 3], tf.float16) * 2
    tf.matmul(first, second)  # HERE


def of_an_assertion_in_a_function() -> None:
    @tf.function
    def checked(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_less(x, 0.5, message="too large")  # HERE
        return x

    checked(tf.ones([3]))


def of_an_eager_assertion() -> None:
    tf.debugging.assert_less(tf.ones([3]), 0.5, message="too large")  # HERE


def in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as running:
        logits = tf.compat.v1.placeholder(tf.float32, [4, 3])
        given = tf.compat.v1.placeholder(tf.int32, [4])
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(given, logits * 2.0)  # HERE
        running.run(loss, {logits: np.ones([4, 3]), given: LABELS})


def in_a_fit() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Embedding(5, 3), tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(np.array([[1, 2], [3, 9]]), np.zeros([2]), verbose=0)  # HERE


def raised_anew() -> None:
    try:
        losses(tf.ones([4, 3]), tf.constant(LABELS))
    except tf.errors.InvalidArgumentError as error:
        raise RuntimeError("a label is wrong") from error


def while_a_function_is_traced() -> None:
    @tf.function
    def product(x: tf.Tensor) -> tf.Tensor:
        if tf.shape(x)[0] > 1:
            x = tf.matmul(x, tf.ones([4, 3]))  # HERE
        return x

    product(tf.ones([2, 3]))


def while_a_model_is_traced() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2)])
    model.compile("adam", "mse")
    model.fit(np.ones([4, 3]), np.zeros([4, 5]), verbose=0)  # HERE


def of_a_model_given_another_shape() -> None:
    model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
    model(tf.ones([4, 5]))  # HERE


def by_the_program_while_traced() -> None:
    @tf.function
    def refused(x: tf.Tensor) -> tf.Tensor:
        raise KeyError("refused")  # HERE

    refused(tf.ones([2]))


def of_a_list_while_traced() -> None:
    tf.function(lambda x: tf.concat([x, tf.ones([4, 2])], 1))(tf.ones([2, 3]))  # HERE


WHILE_TRACED: tuple[tuple[Callable[[], None], str, str, str, list[tuple[str, list[int]]]], ...] = (
    (while_a_function_is_traced, "ValueError", "MatMul", "[2,3], [4,3]", [("float32", [2, 3]), ("float32", [4, 3])]),
    (while_a_model_is_traced, "ValueError", "Sub", "[?,5], [?,2]", [("float32", [-1, 5]), ("float32", [-1, 2])]),
    (of_a_model_given_another_shape, "ValueError", "", "(4, 5)", [("float32", [4, 5])]),
    (by_the_program_while_traced, "KeyError", "", "refused", []),
    (
        of_a_list_while_traced,
        "ValueError",
        "ConcatV2",
        "[2] and [4]",
        [("float32", [2, 3]), ("float32", [4, 2]), ("int32", [])],
    ),
)

CASES: tuple[tuple[Callable[[], None], str, str, list[list[int] | None]], ...] = (
    (in_a_function_that_another_calls, "InvalidArgumentError", "SparseSoftmaxCrossEntropyWithLogits", [[4, 3], [4]]),
    (in_a_loop, "InvalidArgumentError", "SparseSoftmaxCrossEntropyWithLogits", [[4, 5], [4]]),
    (in_a_branch, "InvalidArgumentError", "SparseSoftmaxCrossEntropyWithLogits", [[4, 3], [4]]),
    (of_an_eager_operation, "InvalidArgumentError", "MatMul", [[4, 3], [4, 3]]),
    (of_an_assertion_in_a_function, "InvalidArgumentError", "Assert", []),
    (of_an_eager_assertion, "InvalidArgumentError", "", []),
    (in_a_session, "InvalidArgumentError", "SparseSoftmaxCrossEntropyWithLogits", [[4, 3], [4]]),
    (in_a_fit, "InvalidArgumentError", "GatherV2", []),
    (raised_anew, "RuntimeError", "SparseSoftmaxCrossEntropyWithLogits", [[4, 3], [4]]),
)


def answer_of(program: Callable[[], None], folder: Path) -> tuple[dict[str, Any], str]:
    with contextlib.suppress(Exception), tensordbg.record(folder) as recording:
        program()
    result = tensordbg.open(recording.path).why()
    return why_to_json(result), render(result)


def lines(program: Callable[[], None]) -> set[int]:
    """Those that end with `# HERE`, of the program or else of what it calls."""
    for function in (program, losses.python_function):
        texts, first = inspect.getsourcelines(function)
        found = {first + k for k, text in enumerate(texts) if text.rstrip().endswith("# HERE")}
        if found:
            return found
    raise AssertionError("no line is marked")


@pytest.mark.parametrize(("program", "error", "op_type", "shapes"), CASES, ids=[case[0].__name__ for case in CASES])
def test_the_operation_its_line_and_its_inputs_are_told(
    program: Callable[[], None], error: str, op_type: str, shapes: list[list[int] | None], tmp_path: Path
) -> None:
    answer, text = answer_of(program, tmp_path)
    (failure,) = answer["failures"]
    assert failure["error"] == error
    assert failure["source"]["file"] == __file__
    assert failure["source"]["line"] in lines(program)
    assert " ".join(text.split()).startswith(failure["lead"])
    assert failure["lead"].startswith(f"raised {error}")
    assert "{{" not in failure["message"]
    if op_type != "Assert":  # Grappler may leave the branch around it to tell of it
        assert (failure["op_type"] or "") == op_type
    if shapes:
        assert [given["shape"] for given in failure["inputs"]] == shapes
        assert all(given["health"]["nan"] == 0 for given in failure["inputs"])


@pytest.mark.parametrize(
    ("program", "error", "op_type", "said", "inputs"), WHILE_TRACED, ids=[c[0].__name__ for c in WHILE_TRACED]
)
def test_an_error_before_anything_is_computed_is_told(
    program: Callable[[], None],
    error: str,
    op_type: str,
    said: str,
    inputs: list[tuple[str, list[int]]],
    tmp_path: Path,
) -> None:
    answer, text = answer_of(program, tmp_path)
    (failure,) = answer["failures"]
    assert failure["error"] == error
    assert (failure["op_type"] or "") == op_type
    assert failure["source"]["line"] in lines(program)
    assert said in failure["message"]
    assert "{{" not in failure["message"]
    assert " ".join(text.split()).startswith(f"{failure['lead']} ")
    assert failure["lead"].startswith(f"raised {failure['error']}")
    assert [(each["dtype"], each["shape"]) for each in failure["inputs"]] == inputs
    assert all(f"{dtype}{shape}".replace("-1", "?") in text for dtype, shape in inputs)


def test_a_folder_of_the_users_that_is_called_keras_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project" / "keras"
    folder.mkdir(parents=True)
    (folder / "refusing.py").write_text("def refuse():\n    raise ValueError('of the program')\n")
    monkeypatch.syspath_prepend(str(folder))

    def program() -> None:
        tf.add(1.0, 2.0)
        importlib.import_module("refusing").refuse()

    assert "failures" not in answer_of(program, tmp_path / "trace")[0]


def test_an_error_of_the_program_itself_is_not_told(tmp_path: Path) -> None:
    def program() -> None:
        tf.add(1.0, 2.0)
        raise ValueError("of the program")

    assert "failures" not in answer_of(program, tmp_path)[0]


def test_what_was_not_finite_before_is_told_first(tmp_path: Path) -> None:
    def program() -> None:
        bad = tf.math.log(tf.zeros([4, 3]))
        tf.matmul(tf.ones([4, 3]), bad)

    answer, text = answer_of(program, tmp_path)
    assert answer["failures"][0]["inputs"][1]["health"]["neg_inf"] == 12
    assert text.startswith("Log:0 in program() produced the first -inf")
    assert "raised InvalidArgumentError in MatMul, " in text


def test_an_error_that_the_program_catches_is_not_its_end(tmp_path: Path) -> None:
    def program() -> None:
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            losses(tf.ones([4, 3]), tf.constant(LABELS))
        with contextlib.suppress(tf.errors.InvalidArgumentError):
            tf.matmul(tf.ones([4, 3]), tf.ones([4, 3]))
        for _ in tf.data.Dataset.range(2):
            pass

    answer, text = answer_of(program, tmp_path)
    assert "failures" not in answer
    assert "finite" in text.splitlines()[0]


def test_an_error_of_the_programs_own_is_no_failure_of_an_operation(tmp_path: Path) -> None:
    def program() -> None:
        tf.ones([2])
        raise ValueError("mine")

    assert "failures" not in answer_of(program, tmp_path)[0]


def test_the_summary_of_a_run_and_the_console_tell_it(tmp_path: Path) -> None:
    source = "import tensorflow as tf\nx = tf.ones([4, 3])\ntf.matmul(x, x)\n"
    (tmp_path / "program.py").write_text(source)
    command = [sys.executable, "-m", "tensordbg", "run", "program.py"]
    done = programs.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "raised InvalidArgumentError in MatMul, program.py:3: Matrix size-incompatible" in done.stderr
    assert "program.py:3" in done.stderr
    console = [sys.executable, "-m", "tensordbg", "console"]
    told = programs.run(console, cwd=tmp_path, input="exit\n", capture_output=True, text=True, check=True).stdout
    assert told.index("raised InvalidArgumentError in MatMul, program.py:3: Matrix") < told.index("Command:")
    assert "> 3 tf.matmul(x, x)" in told


def an_index_eagerly() -> None:
    tf.gather(tf.range(100), tf.constant([1, 2, 70]) * 2)


def an_index_in_a_function() -> None:
    @tf.function
    def pick(table: tf.Tensor, index: tf.Tensor) -> tf.Tensor:
        return tf.gather(table, index * 2)

    pick(tf.range(100), tf.constant([1, 2, 3]))
    pick(tf.range(100), tf.constant([1, 2, 70]))


def an_index_in_a_loop() -> None:
    @tf.function
    def total(table: tf.Tensor) -> tf.Tensor:
        found, place = tf.constant(0), tf.constant([0, 0, 0])
        for _ in tf.range(5):
            place += [1, 2, 70]
            found += tf.reduce_sum(tf.gather(table, place))
        return found

    total(tf.range(100))


def an_index_in_a_session() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as running:
        given = tf.compat.v1.placeholder(tf.int32, [None])
        running.run(tf.gather(tf.range(100), given * 2), {given: [1, 2, 70]})


def an_index_in_a_dataset() -> None:
    data = tf.data.Dataset.from_tensor_slices([[1, 2, 3], [1, 2, 70], [3, 3, 3]])
    for _ in data.map(lambda index: tf.gather(tf.range(100), index * 2), num_parallel_calls=2):
        pass


INDICES = [
    an_index_eagerly, an_index_in_a_function, an_index_in_a_loop, an_index_in_a_session, an_index_in_a_dataset
]  # fmt: skip


@pytest.mark.parametrize("sealed", [False, True])
@pytest.mark.parametrize("program", INDICES, ids=lambda program: program.__name__)
def test_the_elements_of_small_inputs_are_told(program: Callable[[], None], sealed: bool, tmp_path: Path) -> None:
    with contextlib.suppress(Exception), tensordbg.record(tmp_path / "trace") as recording:
        program()
    if sealed:
        seal_all(recording.path)
    (failure,) = why_to_json(tensordbg.open(recording.path).why())["failures"]
    assert [each["elements"] for each in failure["inputs"]][:2] == [None, "[2, 4, 140]"]
    assert failure["lead"].endswith("is [2, 4, 140]")


def test_an_eager_operation_that_failed_is_in_the_trace_with_what_it_was_given(tmp_path: Path) -> None:
    with contextlib.suppress(Exception), tensordbg.record(tmp_path) as recording:
        an_index_eagerly()
    failed = tensordbg.open(recording.path).sql(
        "SELECT op_type, failed, len(inputs) AS inputs FROM executions JOIN sites USING (site) WHERE failed"
    )
    assert failed.to_pylist() == [{"op_type": "GatherV2", "failed": True, "inputs": 3}]


@pytest.mark.parametrize("typed", [["console"], ["debug", "program.py"]])
def test_the_console_shows_what_a_failed_eager_operation_was_given(typed: list[str], tmp_path: Path) -> None:
    source = "import tensorflow as tf\nx = tf.ones([4, 3])\ntf.matmul(x, x)\n"
    (tmp_path / "program.py").write_text(source)
    command = [sys.executable, "-m", "tensordbg"]
    if typed == ["console"]:
        programs.run([*command, "run", "program.py"], cwd=tmp_path, capture_output=True, check=False)
    text = "ni MatMul\nexit\n" if typed == ["console"] else "run\nni MatMul\nexit\n"
    told = programs.run(
        [*command, *typed], cwd=tmp_path, input=text, capture_output=True, text=True, check=False
    ).stdout
    shown = told[told.rindex("ni MatMul") :]
    assert "2 input(s)" in shown
    assert shown.count("[Fill] Fill:0   float32[4, 3] 1 to 1") == 2
