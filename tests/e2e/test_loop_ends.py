"""A loop that a NaN ended is named, however its condition is made; one that would have ended anyway is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import tensorflow as tf

import tensordbg
from tensordbg.report.findings.origin_text import circumstances_of
from tensordbg.report.findings.why_text import render
from tensordbg.wire.why import why_to_json
from tests.backends.tensorflow.recorded import record
from tests.e2e.programs.checking import Program

v1 = tf.compat.v1


def compared_in_the_condition() -> None:
    @tf.function
    def converge(x: tf.Tensor, error: tf.Tensor) -> tf.Tensor:
        while error > 1e-3:  # ENDS
            x -= 1.0
            error = tf.sqrt(x)
        return tf.zeros([]) + tf.cast(x > 0.0, tf.float32)

    converge(tf.constant(1.5), tf.constant(1.0))


def compared_in_the_body() -> None:
    @tf.function
    def converge(x: tf.Tensor) -> tf.Tensor:
        going, turns = tf.constant(True), 0
        while going:
            x -= 1.0
            going = tf.sqrt(x) > -1.0  # ENDS
            turns += 1
        return turns

    converge(tf.constant(2.0))


def one_of_two_conditions_and_a_break() -> None:
    @tf.function
    def converge(x: tf.Tensor) -> tf.Tensor:
        turns = 0
        while turns < 10 and tf.reduce_all(tf.math.log(x) < 5.0):  # ENDS
            x -= 1.0
            if x[0] > 50.0:
                break
            turns += 1
        return turns

    converge(tf.constant([2.5, 9.0]))


def loop_of_the_first_version() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v1.disable_control_flow_v2()
        try:
            x = v1.placeholder(tf.float32, [])
            loop = tf.while_loop(
                lambda i, x: tf.sqrt(x) > -1.0,  # ENDS
                lambda i, x: (i + 1, x - 1.0),
                [tf.constant(0), x],
            )
            session.run(loop[0], {x: 2.0})
        finally:
            v1.enable_control_flow_v2()


def ended_by_its_counter() -> None:
    @tf.function
    def count(x: tf.Tensor) -> tf.Tensor:
        def goes_on(i: tf.Tensor, x: tf.Tensor) -> tf.Tensor:
            return tf.logical_and(i < 3, tf.math.log(x) < 5.0)

        return tf.while_loop(goes_on, lambda i, x: (i + 1, x - 1.0), [0, x])[0]

    count(tf.constant(2.5))


def beside_the_condition() -> None:
    @tf.function
    def count(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            x = tf.where(tf.sqrt(x - 1.5) > 0.0, x, x - 1.0)
        return x

    count(tf.constant(1.0))


@pytest.mark.parametrize(
    "program",
    [compared_in_the_condition, compared_in_the_body, one_of_two_conditions_and_a_break, loop_of_the_first_version],
    ids=lambda program: program.__name__,
)
def test_a_loop_that_a_nan_ended(tmp_path: Path, program: Program) -> None:
    result = tensordbg.open(record(tmp_path, program).reader.path).why()
    origin = result.origins[0]
    assert "loop" in origin.reaches
    assert origin.consequential
    (ended,) = origin.ended
    assert ended.source is not None
    lines = Path(__file__).read_text().splitlines()
    assert lines[ended.source.line - 1].endswith("# ENDS")
    assert "nothing compares with NaN" in " ".join(render(result).split())


@pytest.mark.parametrize("program", [ended_by_its_counter, beside_the_condition], ids=lambda program: program.__name__)
def test_a_loop_that_would_have_ended_anyway(tmp_path: Path, program: Program) -> None:
    result = tensordbg.open(record(tmp_path, program).reader.path).why()
    assert result.non_finite_events
    assert not any(origin.ended or "loop" in origin.reaches for origin in result.origins)


def test_of_loops_in_one_another_the_iteration_of_each_is_told(tmp_path: Path) -> None:
    @tf.function
    def total(count: tf.Tensor) -> tf.Tensor:
        found = tf.constant(0.0)
        for k in tf.range(3):  # OUTER
            for j in tf.range(count):  # INNER
                found += tf.math.log(tf.cast(7 - j - 2 * k, tf.float32))
        return found

    with tensordbg.record(tmp_path) as recording:
        total(tf.constant(6))
    answer = tensordbg.open(recording.path).why()
    lines = Path(__file__).read_text().splitlines()
    outer, inner = (
        next(k for k, line in enumerate(lines, 1) if line.endswith(f"# {name}")) for name in ("OUTER", "INNER")
    )
    told = f"in step 0, iteration 1 of the loop at line {outer}, iteration 5 of that at line {inner}"
    assert told in circumstances_of(answer.origins[0])
    assert [each["iteration"] for each in why_to_json(answer)["origins"][0]["loops"]] == [1, 5]
