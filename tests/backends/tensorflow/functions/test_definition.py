"""A FunctionDef is read rightly, and the probes in it change nothing else."""

from __future__ import annotations

import re
from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.model import CallKind


def definition_of(function: Any, *signature: tf.TensorSpec) -> Any:
    """The FunctionDef of a Python function traced for these arguments."""
    return tf.function(function).get_concrete_function(*signature).function_def


VECTOR = tf.TensorSpec([4], tf.float32)


def test_outputs_have_slots_over_all_output_arguments() -> None:
    def program(x: tf.Tensor) -> Any:
        return tf.split(x, 2), tf.unique(x), tf.nn.moments(x, 0)

    definition = definition_of(program, VECTOR)
    nodes = {node.op: node for node in definition.node_def}
    assert [output.tensor for output in fd.outputs(nodes["Split"])] == ["split:output:0", "split:output:1"]
    unique = nodes["Unique"].name
    assert list(fd.outputs(nodes["Unique"])) == [
        fd.Output(0, f"{unique}:y:0", 1),
        fd.Output(1, f"{unique}:idx:0", 3),
    ]


def test_every_input_of_a_node_is_some_output_or_argument() -> None:
    def program(x: tf.Tensor) -> Any:
        for _ in tf.range(3):
            parts = tf.split(x, 2)
            x = tf.concat([tf.sort(parts[0]), parts[1]], 0)
        return tf.nn.top_k(x)

    definition = definition_of(program, VECTOR)
    known = {output.tensor for node in definition.node_def for output in fd.outputs(node)}
    known.update(argument.name for argument in definition.signature.input_arg)
    for node in definition.node_def:
        assert set(fd.data_inputs(node)) <= known
    assert set(definition.ret.values()) <= known


def test_what_is_not_needed_is_not_live() -> None:
    def program(x: tf.Tensor) -> tf.Tensor:
        tf.math.log(x)
        tf.print(tf.sin(x))
        return tf.cos(x)

    definition = definition_of(program, VECTOR)
    live = {node.op for node in definition.node_def if node.name in fd.live_nodes(definition)}
    assert {"Cos", "Sin", "PrintV2"} <= live
    assert "Log" not in live


def test_functions_called_are_named_in_order() -> None:
    def program(x: tf.Tensor) -> tf.Tensor:
        return tf.switch_case(tf.cast(x[0], tf.int32), [lambda: x, lambda: -x, lambda: x * 2.0])

    definition = definition_of(program, VECTOR)
    node = next(node for node in definition.node_def if node.op in ("Case", "StatelessCase"))
    called = fd.called_functions(node)
    assert fd.CALLS[node.op] is CallKind.IF
    assert len(called) == 3
    assert [re.search(r"branch\d", name).group() for name in called] == ["branch0", "branch1", "branch2"]  # type: ignore[union-attr]


def test_probes_must_run_and_have_no_output() -> None:
    definition = definition_of(tf.sin, VECTOR)
    before = len(definition.node_def)
    fd.add_probes(
        definition, [fd.ProbePoint("Sin:y:0", 1, 12, 0, False, "/CPU:0"), fd.ProbePoint("x", 1, 3, 0, True, "")]
    )
    probes = list(definition.node_def)[before:]
    assert [(probe.op, probe.name, list(probe.input)) for probe in probes] == [
        (fd.PROBE_OP, "tdbg_probe/12_0", ["Sin:y:0"]),
        (fd.PROBE_OP, "tdbg_probe/3_0", ["x"]),
    ]
    assert [fd.looks_at_argument(probe) for probe in probes] == [False, True]
    assert probes[0].device == "/CPU:0"
    assert {probe.name for probe in probes} <= set(definition.control_ret.values())
    assert len(definition.signature.control_output) == len(definition.control_ret)


def test_calls_are_given_state_so_that_they_stay() -> None:
    inner = tf.function(tf.sin)

    def program(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(2):
            x = inner(x)
        return inner(x)

    definition = definition_of(program, VECTOR)
    calls = [node.name for node in definition.node_def if node.op in fd.CALLS]
    assert {node.op for node in definition.node_def if node.op in fd.CALLS} == {"PartitionedCall", "StatelessWhile"}
    fd.keep_calls(definition, calls)
    assert {node.op for node in definition.node_def if node.op in fd.CALLS} == {"StatefulPartitionedCall", "While"}
    assert set(calls) <= set(definition.control_ret.values())
    before = definition.SerializeToString()
    fd.keep_calls(definition, calls)
    assert definition.SerializeToString() == before


def test_the_wish_for_xla_is_dropped_with_what_forbids_inlining() -> None:
    compiled = tf.function(tf.sin, jit_compile=True)
    definition = compiled.get_concrete_function(VECTOR).function_def
    assert fd.drop_xla(definition)
    assert not fd.drop_xla(definition)
    fd.allow_inlining(definition)
    assert not set(definition.attr) & {"_XlaMustCompile", "_noinline"}
