from __future__ import annotations

from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.trap_nodes import TRAP_OP, TrapPlacer


def definition_of(function: Any, *signature: Any) -> Any:
    plain = tf.function(function, autograph=False).get_concrete_function(*signature).function_def
    copy = type(plain)()
    copy.CopyFrom(plain)
    return copy


def nodes_of(definition: Any, op_type: str) -> list[Any]:
    return [node for node in definition.node_def if node.op == op_type]


FLOAT = tf.float32.as_datatype_enum
SIGNATURE = tf.TensorSpec((3,), tf.float32)


def test_writes_wait_for_the_trap() -> None:
    variable = tf.Variable([1.0, 2.0, 3.0])

    def step(x: Any) -> None:
        variable.assign_sub(tf.exp(x))

    definition = definition_of(step, SIGNATURE)
    point = TrapPlacer(definition, [("Exp:y:0", FLOAT)], ["loss"]).place(7, None)
    (write,) = nodes_of(definition, "AssignSubVariableOp")
    (trap,) = nodes_of(definition, TRAP_OP)
    assert f"^{trap.name}" in write.input
    assert (trap.attr["trap"].i, trap.attr["tests"].i) == (7, 1)
    assert [each.kind for each in point.saved] == ["argument"]
    assert trap.name in definition.control_ret


def test_the_old_value_of_what_is_written_before_the_test_is_saved() -> None:
    state = tf.Variable([1.0, 2.0, 3.0])

    def step(x: Any) -> Any:
        state.assign_add(x)
        return tf.exp(state.read_value())

    definition = definition_of(step, SIGNATURE)
    point = TrapPlacer(definition, [("Exp:y:0", FLOAT)], ["loss"]).place(0, None)
    (write,) = nodes_of(definition, "AssignAddVariableOp")
    (trap,) = nodes_of(definition, TRAP_OP)
    old = next(each for each in point.saved if each.kind == "variable")
    assert old.tensor in trap.input
    assert f"^{old.tensor.partition(':')[0]}" in write.input
    assert f"^{trap.name}" not in write.input


def test_elements_of_a_pipeline_are_saved() -> None:
    iterator = iter(tf.data.Dataset.from_tensors([1.0, 2.0, 3.0]))
    definition = definition_of(lambda: tf.exp(next(iterator)))
    point = TrapPlacer(definition, [("Exp:y:0", FLOAT)], ["loss"]).place(0, None)
    (element,) = [each for each in point.saved if each.kind == "element"]
    assert element.tensor.startswith("IteratorGetNext:components:")
