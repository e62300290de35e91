"""What runs in a tf.function is recorded: nested calls, loops, branches and gradients, each event once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.python.eager import context

import tensordbg
from tensordbg.model import CallKind
from tests.backends.tensorflow.recorded import read, record


def test_every_tensor_is_an_event_with_its_numbers(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.math.log(x) * 2.0)

    recorded = record(tmp_path, lambda: program(tf.constant([1.0, 0.0, 4.0])))
    log = recorded.one("Log")
    assert (log.shape, log.dtype, log.row["neg_inf"], log.row["first_bad"]) == ("[3]", "float32", 1, 1)
    assert log.row["max"] == pytest.approx(np.log(4.0))
    assert recorded.one("Sum").row["neg_inf"] == 1
    argument = recorded.one("x")
    assert (argument.row["zero"], argument.row["positive"], argument.row["max"]) == (1, 2, 4.0)
    assert argument.device.endswith("CPU:0")
    assert recorded.functions[recorded.executions[-1]["function"]].name == "program"


def test_a_function_called_twice_is_told_apart(tmp_path: Path) -> None:
    @tf.function
    def inner(x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(x)

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return inner(x) + inner(x * 4.0)

    recorded = record(tmp_path, lambda: outer(tf.constant(9.0)))
    roots = recorded.of("Sqrt")
    assert sorted((event.path, event.row["max"]) for event in roots) == [
        ("PartitionedCall", 3.0),
        ("PartitionedCall_1", 6.0),
    ]
    # The argument of an inlined function is its caller's tensor: it is seen once, where it was made.
    assert [event.path for event in recorded.of("x")] == [""]
    graph = recorded.site_of(recorded.one("x")).function
    calls = [site for site in recorded.sites.values() if (site.call, site.function) == (CallKind.CALL, graph)]
    called = {function.runtime_name: function.name for function in recorded.functions.values()}
    assert [[called[name] for name in site.called] for site in calls] == [["inner"], ["inner"]]


def test_every_turn_of_a_loop_is_an_event(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(4):
            x = tf.square(x)
        return x

    recorded = record(tmp_path, lambda: program(tf.constant(2.0)))
    turns = recorded.of("while/Square")
    assert sorted((event.iteration, event.row["max"]) for event in turns) == [
        (0, 4.0),
        (1, 16.0),
        (2, 256.0),
        (3, 65536.0),
    ]
    assert {event.path.rsplit("_", 1)[0] for event in turns} == {"while/body/"}
    assert recorded.one("x").iteration is None


def test_turns_of_nested_loops_are_told_apart(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            for _ in tf.range(2):
                x = x + 1.0
        return x

    recorded = record(tmp_path, lambda: program(tf.constant(0.0)))
    inner = recorded.of("while/while/add")
    assert len(inner) == 6
    assert len({(event.frame, event.iteration) for event in inner}) == 6
    assert len({event.frame for event in inner}) == 3
    assert sorted(event.row["max"] for event in inner) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_only_the_branch_taken_is_seen(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.cond(x > 0.0, lambda: tf.sqrt(x), lambda: tf.exp(x))

    recorded = record(tmp_path, lambda: [program(tf.constant(value)) for value in (4.0, -1.0)])
    assert [event.step for event in recorded.of("cond/Sqrt")] == [0]
    assert [event.step for event in recorded.of("cond/Exp")] == [1]


def test_gradients_inside_and_outside_of_a_function(tmp_path: Path) -> None:
    weight = tf.Variable([4.0, 0.0], name="weight")

    @tf.function
    def inside() -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(weight))
        return tape.gradient(loss, weight)

    @tf.function
    def forward() -> tf.Tensor:
        return tf.reduce_sum(tf.sqrt(weight))

    def outside() -> None:
        with tf.GradientTape() as tape:
            loss = forward()
        tape.gradient(loss, weight)

    recorded = record(tmp_path, lambda: (inside(), outside()))
    grads = [event for event in recorded.events if event.name.endswith("SqrtGrad")]
    assert [event.row["pos_inf"] for event in grads] == [1, 1]
    assert recorded.sites[recorded.site_of(grads[0]).gradient_of].op_type == "Sqrt"
    backward = recorded.executions[grads[1].execution - 1]
    assert recorded.functions[backward["function"]].runtime_name.startswith("__inference___backward_forward")
    plain = next(function for function in recorded.functions.values() if function.name == "forward")
    twin = next(f for f in recorded.functions.values() if f.runtime_name.startswith("__forward_forward"))
    assert twin.graph == plain.function


def test_variables_are_known_by_name_where_they_are_read_and_written(tmp_path: Path) -> None:
    weight = tf.Variable([1.0, 2.0], name="weight")

    @tf.function
    def step(gradient: tf.Tensor) -> None:
        weight.assign_sub(0.5 * gradient)

    @tf.function
    def twice() -> tf.Tensor:
        return tf.add(weight, weight)

    recorded = record(tmp_path, lambda: (step(tf.ones(2)), twice()))
    names = {variable.variable: variable.name for variable in recorded.variables.values()}
    writers = [site for site in recorded.sites.values() if site.op_type == "AssignSubVariableOp"]
    readers = [site for site in recorded.sites.values() if site.op_type == "ReadVariableOp" and site.function >= 0]
    assert [[names[number] for number in site.writes] for site in writers] == [["weight"]]
    assert {names[number] for site in readers for number in site.reads} == {"weight"}


def test_steps_count_the_calls_of_a_python_function_over_its_traces(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return x + 1.0

    recorded = record(tmp_path, lambda: [program(tf.zeros(size)) for size in (1, 2, 1, 3)])
    steps = [row["step"] for row in recorded.executions if row["function"] >= 0]
    assert steps == [0, 1, 2, 3]
    assert len({row["function"] for row in recorded.executions if row["function"] >= 0}) == 3


def test_what_is_never_needed_is_never_run(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        tf.math.log(x)
        return x + 1.0

    recorded = record(tmp_path, lambda: program(tf.constant(0.0)))
    assert recorded.of("Log") == []
    assert any(site.name == "Log" for site in recorded.sites.values())


def test_a_function_meant_for_xla_is_recorded_and_noted(tmp_path: Path) -> None:
    @tf.function(jit_compile=True)
    def program(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = tf.math.log(x)
        return x

    @tf.function
    def caller(x: tf.Tensor) -> tf.Tensor:
        return program(x)

    recorded = record(tmp_path, lambda: caller(tf.constant(1.0)))
    assert [event.row["neg_inf"] for event in recorded.of("while/Log", iteration=1)] == [1]
    noted = {function.name for function in recorded.functions.values() if any("XLA" in note for note in function.notes)}
    assert noted == {"program"}


def test_a_function_that_may_not_be_inlined_is_told_apart_by_call(tmp_path: Path) -> None:
    inner = tf.function(tf.sqrt, experimental_attributes={"_noinline": True})

    @tf.function
    def outer(x: tf.Tensor) -> tf.Tensor:
        return inner(x) + inner(x * 4.0)

    recorded = record(tmp_path, lambda: outer(tf.constant(9.0)))
    assert len({event.path for event in recorded.of("Sqrt")}) == 2


def test_a_second_recording_knows_what_the_first_instrumented(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    first = record(tmp_path / "first", lambda: program(tf.constant(1.0)))
    second = record(tmp_path / "second", lambda: program(tf.constant(2.0)))
    assert first.one("Sin").row["max"] == pytest.approx(np.sin(1.0))
    assert second.one("Sin").row["max"] == pytest.approx(np.sin(2.0))
    assert second.one("Sin").path == ""


def test_nothing_is_recorded_between_and_after(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    recorded = record(tmp_path, lambda: program(tf.constant(1.0)))
    count = recorded.reader.tensor_count
    program(tf.constant(2.0))
    tf.cos(3.0)
    assert record(tmp_path, lambda: None).events == []
    assert recorded.reader.tensor_count == count


def test_an_execution_that_fails_is_marked(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        tf.debugging.Assert(x[0] > 0.0, [x])
        return tf.sqrt(x)

    def run() -> None:
        with pytest.raises(tf.errors.InvalidArgumentError):
            program(tf.constant([-1.0]))
        program(tf.constant([1.0]))

    recorded = record(tmp_path, run)
    assert [row["failed"] for row in recorded.executions if row["function"] >= 0] == [True, False]


def test_less_detail(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.sin(x)

    shapes = record(tmp_path, lambda: program(tf.zeros([2, 3])), detail="shapes").one("Sin")
    assert (shapes.shape, shapes.row["size"], shapes.row["zero"]) == ("[2, 3]", 6, None)


def test_operations_only(tmp_path: Path) -> None:
    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.cos(x)

    ops = record(tmp_path, lambda: program(tf.zeros([2, 3])), detail="ops").one("Cos")
    assert (ops.shape, ops.row["size"], ops.row["zero"]) == (None, None, None)


def test_an_operation_that_bears_the_name_of_a_result_keeps_its_own(tmp_path: Path) -> None:
    @tf.function
    def loss(x: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.math.log(tf.nn.softmax(x, name="probs")))

    @tf.function
    def program(x: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(x)
        return tape.gradient(value, x)

    # The forward pass gives `probs` out for the gradient; its definition then calls the node `probs_0`.
    recorded = record(tmp_path, lambda: program(tf.constant([1.0, 2.0])))
    assert [event.path for event in recorded.of("probs")] == ["PartitionedCall"]
    assert recorded.of("probs_0") == []


def test_a_graph_with_recorded_functions_is_made_a_function_or_imported_again(tmp_path: Path) -> None:
    def build(x: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(lambda x: x < 10.0, lambda x: (x * 2.0,), [tf.cond(x > 0.0, lambda: x, lambda: -x)])[0]

    def around(x: tf.Tensor) -> tf.Tensor:
        definition = wrapped.graph.as_graph_def()
        placeholder, result = wrapped.graph.inputs[0].name, wrapped.graph.outputs[0].name
        return tf.import_graph_def(definition, {placeholder: x}, [result])[0]

    wrap = tf.compat.v1.wrap_function
    with tensordbg.record(tmp_path) as recording:
        wrapped = wrap(build, [tf.TensorSpec([], tf.float32)])
        assert wrapped(tf.constant(-3.0)).numpy() == 12.0
    # The functions have our nodes still.
    again = wrap(around, [tf.TensorSpec([], tf.float32)])
    assert again(tf.constant(5.0)).numpy() == 10.0
    assert [event.iteration for event in read(recording.path).of("while/mul")] == [0, 1]
    with tensordbg.record(tmp_path) as recording:
        assert again(tf.constant(4.0)).numpy() == 16.0
    assert len(read(recording.path).events) > 4


def test_another_function_of_a_recorded_ones_name_is_refused_as_without_us(tmp_path: Path) -> None:
    def bring(function: Any) -> None:
        """As a graph does that is imported: first the function itself, then another one under its name."""
        concrete = tf.function(function).get_concrete_function(tf.TensorSpec([], tf.float32))
        definition = type(concrete.function_def)()
        definition.CopyFrom(concrete.function_def)
        runtime = context.context()
        runtime.add_function_def(definition)
        (node,) = (node for node in definition.node_def if node.op == "Mul")
        node.op = "Sub"
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"a duplicate function with name: .* definitions differ"
        ):
            runtime.add_function_def(definition)
        assert concrete(tf.constant(5.0)).numpy() == 10.0

    bring(lambda x: x * 2.0)
    with tensordbg.record(tmp_path) as recording:
        bring(lambda x: x * 2.0)
    assert len(read(recording.path).of("mul")) == 1
