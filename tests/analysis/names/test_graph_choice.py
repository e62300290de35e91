from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.analysis.graphs.function_graph import Section, function_graph
from tensordbg.analysis.names.graph_choice import ChosenPart, choose_part
from tensordbg.analysis.program.description import read_program
from tensordbg.analysis.program.function_choice import choose_function
from tensordbg.errors import UsageError
from tensordbg.trace.reader import TraceReader
from tests.analysis.graphs.test_layers import layered_trace
from tests.backends.tensorflow.recorded import record


def test_a_function_or_what_is_in_one(sample_reader: TraceReader) -> None:
    assert choose_part(sample_reader, "train") == ChosenPart("train")
    assert choose_part(sample_reader, "1") == ChosenPart("1")
    assert choose_part(sample_reader, "mul") == choose_part(sample_reader, "mul:0") == ChosenPart("1", "mul")


def test_a_layer(tmp_path: Path) -> None:
    reader = layered_trace(tmp_path / "layered")
    assert choose_part(reader, "log") == choose_part(reader, "log/Log") == ChosenPart("0", "Log")


def test_what_has_no_graph(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match="'Add' is an eager operation, which has no graph"):
        choose_part(sample_reader, "Add")


def test_the_nearest_of_functions_and_tensors(sample_reader: TraceReader) -> None:
    with pytest.raises(UsageError, match=r"^no function and no tensor 'trai'; did you mean 'train'"):
        choose_part(sample_reader, "trai")
    with pytest.raises(UsageError, match=r"^no function and no tensor 'Lgo'; did you mean 'Log:0'\?$"):
        choose_part(sample_reader, "Lgo")
    with pytest.raises(UsageError, match=r"^no function 'qqqqqq'; choose one of inner, train, or a number$"):
        choose_part(sample_reader, "qqqqqq")


def looping(folder: Path) -> TraceReader:
    @tf.function
    def inner(x: Any) -> Any:
        return tf.exp(x)

    @tf.function
    def outer(state: Any) -> Any:
        while tf.reduce_sum(state) < 10.0:
            state = inner(state) + 1.0
        return state

    inner.get_concrete_function(tf.TensorSpec([3], tf.float64))
    return record(
        folder,
        lambda: (inner.get_concrete_function(tf.TensorSpec([], tf.float32)), outer(tf.constant([1.0, 2.0]))),
    ).reader


def test_the_state_of_a_loop_is_shown_where_it_is_used(tmp_path: Path) -> None:
    reader = looping(tmp_path)
    part = choose_part(reader, "state")
    program = read_program(reader)
    holder = program.holders[int(part.function)]
    assert program.called_by(holder)[1] is program.functions[int(part.function)]


def test_the_version_that_ran_is_shown(tmp_path: Path) -> None:
    reader = looping(tmp_path)
    program = read_program(reader)
    chosen = choose_function(reader, program, "inner")
    assert chosen.function.signature == "(float32[2])"
    assert [each.signature for each in chosen.others] == ["(float64[3])", "(float32[])"]
    assert function_graph(reader, "inner").function == chosen.function


def test_around_takes_any_name(tmp_path: Path) -> None:
    layered = layered_trace(tmp_path / "layered")
    near = function_graph(layered, "train", Section(around="model/log", hops=0))
    assert [node.name for node in near.nodes] == ["Log"]
    with pytest.raises(UsageError, match="no operation 'Lgo' in the part that is shown; did you mean 'Log'"):
        function_graph(layered, "train", Section(around="Lgo"))
