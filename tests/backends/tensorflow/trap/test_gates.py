from __future__ import annotations

from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.internals import context
from tensordbg.backends.tensorflow.trap.gates import GATES


def gated(function: Any, name: str) -> Any:
    """The function with its writes open only where its first argument holds."""
    concrete = function.get_concrete_function()
    definition = type(concrete.function_def)()
    definition.CopyFrom(concrete.function_def)
    definition.signature.name = name
    argument = definition.signature.input_arg[0]
    types = {each.name: each.type for each in definition.signature.input_arg}
    for node in definition.node_def:
        if node.op.startswith("Assign"):
            GATES.close(node, argument.name, [types.get(each, tf.float32.as_datatype_enum) for each in node.input[:2]])
    context.context().add_function_def(definition)

    def call(condition: bool) -> None:
        captured = [outer for outer, _ in concrete.graph.captures]
        context.context().call_function(name.encode(), [tf.constant(condition), *captured], 0)

    return call


def test_a_write_happens_only_where_the_condition_holds() -> None:
    variable, count = tf.Variable([1.0, 2.0]), tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec((), tf.bool)])
    def step(condition: Any) -> None:
        del condition
        variable.assign(variable * 2.0)
        count.assign_add(1.0)

    call = gated(step, "gated_step")
    call(False)
    assert (variable.numpy().tolist(), count.numpy()) == ([1.0, 2.0], 0.0)
    call(True)
    assert (variable.numpy().tolist(), count.numpy()) == ([2.0, 4.0], 1.0)


def test_writes_of_one_kind_share_their_branches() -> None:
    nodes = []
    for name in ("a", "b"):
        node = tf.compat.v1.NodeDef(name=name, op="AssignVariableOp", input=["handle", f"{name}:0", "^before"])
        node.attr["dtype"].type = 1
        GATES.close(node, "good", [20, 1])
        nodes.append(node)
    first, second = nodes
    assert first.op == second.op == "If"
    assert first.attr["then_branch"].func.name == second.attr["then_branch"].func.name
    assert list(first.input) == ["good", "handle", "a:0", "^before"]
