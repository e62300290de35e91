"""A NaN that decides a branch, an index or which elements are chosen is told; one that was masked decides nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.analysis.finding import WhyResult
from tensordbg.report.findings.why_text import render
from tensordbg.wire.why import why_to_json
from tests.backends.tensorflow.recorded import record
from tests.e2e.programs.checking import Program

v1 = tf.compat.v1


def condition() -> None:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        big = tf.sqrt(x) > 1.0
        return tf.cond(big, lambda: tf.exp(x), lambda: tf.abs(x))  # DECIDES

    choose(tf.constant(-1.0))


def if_statement() -> None:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        going_up = tf.reduce_mean(tf.math.log(x)) < 0.0
        y = tf.ones([])
        if going_up:  # DECIDES
            y = y * 2.0
            y += 1.0
        else:
            y = y * 3.0
        return y

    choose(tf.constant([-1.0, 2.0]))


def one_of_several_cases() -> None:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        loss = tf.math.log(x)
        cases = [(loss > 1.0, lambda: tf.zeros([])), (loss < -1.0, lambda: tf.ones([]))]
        return tf.case(cases, default=lambda: 2.0 * tf.ones([]))  # DECIDES

    choose(tf.constant(-3.0))


def switch_on_a_whole_number() -> None:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        which = tf.cast(tf.sqrt(x), tf.int32)
        return tf.switch_case(which, [lambda: tf.exp(x), lambda: tf.sin(x), lambda: tf.cos(x)])  # DECIDES

    choose(tf.constant(-4.0))


def in_a_function_that_is_called() -> None:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_all(x < 5.0)

    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            if inner(tf.math.log(x - 3.0)):  # DECIDES
                x -= 1.0
            else:
                x = tf.exp(x)
        return x

    choose(tf.constant(2.0))


def branch_that_computes_nothing() -> None:
    @tf.function
    def choose(x: tf.Tensor, best: tf.Tensor) -> tf.Tensor:
        loss = tf.math.log(x)
        if loss < best:  # DECIDES
            best = tf.abs(best)
        return best

    choose(tf.constant(-1.0), tf.constant(3.0))


def condition_in_a_session() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        y = tf.cond(tf.sqrt(x) > 1.0, lambda: x + 1.0, lambda: x - 1.0)  # DECIDES
        session.run(y, {x: -2.0})


def condition_of_the_first_version() -> None:
    v1.disable_control_flow_v2()
    try:
        condition_in_a_session()
    finally:
        v1.enable_control_flow_v2()


def elements() -> None:
    @tf.function
    def choose(x: tf.Tensor, a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
        return tf.where(tf.sqrt(x) > 1.0, a, b)  # DECIDES

    choose(tf.constant([-1.0, 4.0]), tf.ones([2]), tf.zeros([2]))


def index_that_is_looked_up() -> None:
    @tf.function
    def choose(scores: tf.Tensor, table: tf.Tensor) -> tf.Tensor:
        best = tf.argmax(tf.math.log(scores))
        return tf.gather(table, best)  # DECIDES

    choose(tf.constant([0.5, -1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


def index_of_the_top() -> None:
    @tf.function
    def choose(scores: tf.Tensor, table: tf.Tensor) -> tf.Tensor:
        _, best = tf.math.top_k(tf.sqrt(scores), k=2)
        return tf.gather(table, best)  # DECIDES

    choose(tf.constant([0.5, -1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


def index_that_is_returned() -> None:
    @tf.function
    def choose(scores: tf.Tensor) -> tf.Tensor:
        return tf.argmin(tf.sqrt(scores))  # DECIDES

    choose(tf.constant([0.5, -1.0, 2.0]))


def index_of_one_element() -> None:
    @tf.function
    def choose(scores: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
        best = tf.argmax(tf.sqrt(scores))
        return tf.reduce_sum(tf.one_hot(best, 3) * values)  # DECIDES

    choose(tf.constant([0.5, -1.0, 2.0]), tf.constant([1.0, 2.0, 3.0]))


def beginning_of_a_slice() -> None:
    @tf.function
    def choose(x: tf.Tensor, values: tf.Tensor) -> tf.Tensor:
        first = tf.clip_by_value(tf.cast(tf.sqrt(x), tf.int32), 0, 1)
        return tf.reduce_sum(values[first:])  # DECIDES

    choose(tf.constant(-1.0), tf.constant([1.0, 2.0, 3.0]))


def comparison_that_is_returned() -> None:
    @tf.function
    def is_small(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_all(tf.sqrt(x) < 1e-3)  # DECIDES

    is_small(tf.constant([-1.0, 0.0]))


def _why(tmp_path: Path, program: Program) -> WhyResult:
    return tensordbg.open(record(tmp_path, program).reader.path).why()


BRANCHES = {
    condition: "else",
    if_statement: "else",
    one_of_several_cases: "else",
    switch_on_a_whole_number: "number 2",
    in_a_function_that_is_called: "else",
    condition_in_a_session: "else",
    condition_of_the_first_version: "else",
    branch_that_computes_nothing: "else",
}


@pytest.mark.parametrize("program", BRANCHES, ids=lambda program: program.__name__)
def test_a_branch(tmp_path: Path, program: Program) -> None:
    result = _why(tmp_path, program)
    _assert_decided(result, program, "branch")
    assert {each.branch for each in result.origins[0].decided} == {BRANCHES[program]}
    assert "decided which branch ran, `" in " ".join(render(result).split())


@pytest.mark.parametrize(
    ("program", "what"),
    [
        (elements, "choice"),
        (index_that_is_looked_up, "index"),
        (index_of_the_top, "index"),
        (index_that_is_returned, "index"),
        (index_of_one_element, "index"),
        (beginning_of_a_slice, "index"),
        (comparison_that_is_returned, "comparison"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_choice(tmp_path: Path, program: Program, what: str) -> None:
    result = _why(tmp_path, program)
    _assert_decided(result, program, what)
    words = {
        "choice": "which elements were chosen",
        "index": "which index was chosen",
        "comparison": "what was returned",
    }
    assert f"decided {words[what]}, `" in " ".join(render(result).split())


def _assert_decided(result: WhyResult, program: Program, what: str) -> None:
    origin = result.origins[0]
    assert what in origin.reaches
    assert origin.consequential
    code = (condition_in_a_session if program is condition_of_the_first_version else program).__code__
    lines = Path(__file__).read_text().splitlines()
    marked = [n for n, line in enumerate(lines, 1) if line.endswith("# DECIDES") and n > code.co_firstlineno]
    for each in origin.decided:
        assert each.source is not None
        assert (each.what, each.source.line) == (what, marked[0])
    (told, *_) = json.loads(json.dumps(why_to_json(result)))["origins"][0]["decided"]
    assert (told["what"], told["source"]["line"]) == (what, marked[0])


def masked_before_it_is_compared() -> None:
    @tf.function
    def choose(x: tf.Tensor, table: tf.Tensor) -> tf.Tensor:
        root = tf.sqrt(x)
        root = tf.where(tf.math.is_nan(root), tf.zeros_like(root), root)
        y = tf.cond(tf.reduce_sum(root) > 1.0, lambda: tf.ones([3]), lambda: tf.zeros([3]))
        y += tf.where(root > 1.0, y, 2.0 * y)
        which = tf.cast(tf.reduce_max(root), tf.int32)
        y += tf.switch_case(which, [lambda: y + 1.0, lambda: y - 1.0])
        return y * tf.gather(table, tf.argmax(root)) + tf.gather(table, tf.math.top_k(root).indices)

    choose(tf.constant([-1.0, 0.5, 4.0]), tf.constant([1.0, 2.0, 3.0]))


def asked_for() -> None:
    @tf.function
    def choose(x: tf.Tensor, table: tf.Tensor) -> tf.Tensor:
        root = tf.sqrt(x)
        fine = tf.reduce_all(tf.math.is_finite(root))
        y = tf.cond(fine, lambda: tf.ones([]), lambda: tf.zeros([]))
        y += tf.cond(tf.reduce_any(root != root), lambda: y + 1.0, lambda: y - 1.0)  # noqa: PLR0124
        index = tf.where(tf.math.is_nan(root), tf.zeros_like(root, tf.int32), tf.cast(root, tf.int32))
        y += tf.reduce_sum(tf.gather(table, index))
        y += tf.cond(tf.reduce_any(tf.logical_and(tf.math.is_finite(root), root > 1.0)), lambda: y, lambda: -y)
        return y

    choose(tf.constant([-1.0, 0.5, 4.0]), tf.constant([1.0, 2.0, 3.0]))


def replaced() -> None:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        root = tf.sqrt(x)
        return tf.where(root > 0.0, root, tf.zeros_like(root))

    choose(tf.constant([-1.0, 0.5, 4.0]))


def not_asked_at_all() -> None:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        root = tf.sqrt(x)
        if tf.random.uniform([]) > 2.0 and root > 0.0:
            return tf.exp(x)
        return tf.sin(x)

    choose(tf.constant(-2.0))


def of_its_shape() -> None:
    @tf.function
    def choose(x: tf.Tensor) -> tf.Tensor:
        root = tf.sqrt(x)
        rows = tf.shape(root)[0]
        return tf.cond(rows > 2, lambda: tf.ones([]), lambda: tf.zeros([]))

    choose(tf.constant([-1.0, 0.5, 4.0]))


@pytest.mark.parametrize(
    "program",
    [masked_before_it_is_compared, asked_for, replaced, not_asked_at_all, of_its_shape],
    ids=lambda program: program.__name__,
)
def test_what_decides_nothing(tmp_path: Path, program: Program) -> None:
    result = _why(tmp_path, program)
    assert not any(origin.decided or origin.consequential for origin in result.origins)
    if program is not of_its_shape:  # a root that nothing but its shape is asked of need not be computed
        assert result.origins


def test_every_iteration_counts_and_the_first_is_told(tmp_path: Path) -> None:
    @tf.function
    def total(x: tf.Tensor) -> tf.Tensor:
        found = tf.constant(0.0)
        for i in tf.range(5):
            if tf.math.log(x - tf.cast(i, tf.float32)) > 0.0:
                found += 1.0
            else:
                found -= 1.0
        return found

    result = _why(tmp_path, lambda: [total(tf.constant(9.0)), total(tf.constant(1.5))])
    (decided,) = result.origins[0].decided
    assert (decided.step, decided.iteration, decided.branch, decided.times) == (1, 2, "else", 3)
    assert "and the else branch ran; 3 times in all" in " ".join(render(result).split())
