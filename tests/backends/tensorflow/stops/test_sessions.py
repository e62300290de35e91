"""Runs of sessions are held at lines of interest: with what goes in and what came out, while somebody asks.

In this process, so that the compiled part can be run with sanitizers (see `make sanitize`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tests.backends.tensorflow.stops.watching import stopping

v1 = tf.compat.v1


def test_a_line_has_its_inputs_before_it_and_its_results_behind_it(tmp_path: Path) -> None:
    with tf.Graph().as_default(), stopping(tmp_path, __file__, "summed") as lines:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.exp(x * 0.0, name="ones") + x  # summed
        z = tf.math.log(y, name="log")
        with v1.Session() as session:
            assert session.run(z, {x: [0.0, 1.0]}).tolist() == [0.0, pytest.approx(0.6931472)]
            met = [each[:3] for each in lines.met]
            assert met == [("mul", False, None), ("add", True, None)]
            assert lines.met[0].tensors == {"x:0": [0.0, 1.0]}
            assert lines.met[1].tensors == {"y (add:0)": [1.0, 2.0]}
            assert [each.names for each in lines.met] == [{}, {"y": [1.0, 2.0]}]
            # Another choice of lines, in the same session, whose kernels are there already.
            lines.word, lines.version = "nowhere", 2
            session.run(z, {x: [0.0, 1.0]})
            assert len(lines.met) == 2
            lines.word, lines.version = "summed", 3
            session.run(z, {x: [3.0, 4.0]})
            assert [each.tensors for each in lines.met[2:]] == [{"x:0": [3.0, 4.0]}, {"y (add:0)": [4.0, 5.0]}]


def test_each_turn_of_a_loop_and_the_branch_that_runs(tmp_path: Path) -> None:
    def body(i: Any, v: Any) -> Any:
        return i + 1, v * 2.0  # turned

    with tf.Graph().as_default(), stopping(tmp_path, __file__, "turned") as lines:
        v1.disable_control_flow_v2()
        try:
            start = v1.placeholder(tf.float32, [], name="start")
            grown = v1.while_loop(lambda i, _: i < 3, body, [0, start])[1]
            chosen = v1.cond(grown > 10.0, lambda: tf.exp(-grown), lambda: tf.math.log(grown))
        finally:
            v1.enable_control_flow_v2()
        with v1.Session() as session:
            assert session.run(chosen, {start: 0.125}) == 0.0
            values = [list(each.tensors.values()) for each in lines.met if each.is_behind]
            assert sorted(max(each) for each in values) == [1.0, 2.0, 3.0]
            assert {each.iteration for each in lines.met} == {0, 1, 2}


def test_a_branch_that_does_not_run_is_not_stopped_in(tmp_path: Path) -> None:
    with tf.Graph().as_default(), stopping(tmp_path, __file__, "branches") as lines:
        v1.disable_control_flow_v2()
        try:
            x = v1.placeholder(tf.float32, [], name="x")
            chosen = v1.cond(x > 1.0, lambda: tf.exp(x, name="raised"), lambda: tf.sqrt(x, name="root"))  # branches
        finally:
            v1.enable_control_flow_v2()
        with v1.Session() as session:
            assert session.run(chosen, {x: 0.25}) == 0.5
        names = [each.operation for each in lines.met]
        assert "cond/root" in names and "cond/raised" not in names


def test_a_run_that_is_to_end_fails_with_what_is_answered(tmp_path: Path) -> None:
    with tf.Graph().as_default(), stopping(tmp_path, __file__, "ended") as lines:
        x = v1.placeholder(tf.float32, [], name="x")
        y = tf.sqrt(x)  # ended
        lines.answer = "it is over"
        with v1.Session() as session:
            # Without a debugger that ends the program, TensorFlow looks for the name of the watch in the graph.
            with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=r"it is over|TensordbgWatch"):
                session.run(y, {x: 4.0})
            lines.answer = None
            assert session.run(y, {x: 4.0}) == 2.0
