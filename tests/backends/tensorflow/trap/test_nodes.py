from __future__ import annotations

import os
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.trap.nodes import TRAP_OP, TrapPlacer


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


@pytest.mark.parametrize(("processors", "waits"), [(2, True), (64, False)])
def test_what_is_computed_from_a_gradient_waits_where_processors_are_few(
    monkeypatch: pytest.MonkeyPatch, processors: int, waits: bool
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)), raising=False)
    variable = tf.Variable([1.0, 2.0, 3.0])

    def step(x: Any) -> Any:
        gradient = tf.exp(x)
        loss = tf.sin(gradient)
        variable.assign_sub(tf.sqrt(gradient) * tf.cos(x))
        variable.assign_add(gradient)
        return loss

    definition = definition_of(step, SIGNATURE)
    TrapPlacer(definition, [("Exp:y:0", FLOAT), ("Sin:y:0", FLOAT)], ["gradient", "loss"]).place(0, None)
    (trap,) = nodes_of(definition, TRAP_OP)
    waiting = [node.name for node in definition.node_def if f"^{trap.name}" in node.input]
    # What the trap itself is given can't wait for it; what doesn't come from the gradient need not.
    assert sorted(waiting) == ["AssignAddVariableOp", "AssignSubVariableOp", *(["Sqrt"] if waits else [])]
    assert all(len(set(node.input)) == len(node.input) for node in definition.node_def)


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
