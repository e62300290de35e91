from __future__ import annotations

from typing import Any

import tensorflow as tf

from tensordbg.backends.tensorflow.trap.eager import log as trap_eager_log
from tensordbg.backends.tensorflow.trap.eager.log import Differentiated, LoggedOperation, Made, StepLog, tensors_in


def add(log: StepLog, op_type: str, inputs: tuple[Any, ...], result: Any) -> None:
    known = tuple(log.known(each) for each in inputs)
    log.add(LoggedOperation(op_type, known, (), False, -1), result)


def test_tensors_of_the_step_are_known_by_number_and_others_held() -> None:
    log = StepLog()
    x, y, z = tf.constant(1.0), tf.constant(2.0), [tf.constant(3.0), tf.constant(4.0)]
    add(log, "Neg", (x,), y)
    add(log, "Unpack", (y,), z)
    add(log, "AddN", ([z[1], x, 5.0],), None)
    assert log.operations[1].inputs == (Made(0, 0),)
    made, outside, number = log.operations[2].inputs[0]
    assert (made, number) == (Made(1, 1), 5.0)
    assert outside is x


def test_what_can_not_run_elsewhere_counts_as_from_outside() -> None:
    log = StepLog()
    x = tf.constant(1.0)
    add(log, "IteratorGetNext", (), [x])
    assert log.operations == []
    assert log.known(x) is x


def test_the_first_value_of_a_variable_is_kept() -> None:
    log, handle = StepLog(), tf.Variable(1.0).handle
    for value in (None, 1.0, 2.0):
        log.keep_old(handle, lambda _: value)  # noqa: B023
    (old,) = log.old.values()
    assert old.value == 1.0


def test_a_step_without_end_is_not_kept(monkeypatch: Any) -> None:
    monkeypatch.setattr(trap_eager_log, "LARGEST", 2)
    log = StepLog()
    for _ in range(5):
        add(log, "Neg", (), tf.constant(1.0))
    assert len(log.operations) == 2
    assert not log.whole


def test_the_operation_whose_gradient_another_computes() -> None:
    log = StepLog()
    x, y, z = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    add(log, "Cast", (x,), y)
    add(log, "Cast", (y,), z)
    add(log, "Square", (x,), tf.constant(1.0))
    for told in (
        Differentiated("Cast", (Made(1, 0),), ()),
        Differentiated("Cast", (), (Made(0, 0),)),
        Differentiated("Cast", (), (x,)),
        Differentiated("Cast", (), ()),
        Differentiated("Log", (), (x,)),
        None,
    ):
        log.add(LoggedOperation("Cast", (z,), (), False, -1, told), tf.constant(1.0))
    assert log.forward_operations() == {3: 1, 4: 1, 5: 0}


def test_of_several_that_took_the_same_none_is_meant() -> None:
    log = StepLog()
    x = tf.constant(1.0)
    for _ in range(2):
        add(log, "Cast", ((x,),), tf.constant(1.0))
    log.add(LoggedOperation("Cast", (), (), False, -1, Differentiated("Cast", (), (x,))), tf.constant(1.0))
    assert log.forward_operations() == {}


def test_tensors_are_found_in_whatever_an_operation_gives() -> None:
    x = tf.constant(1.0)
    assert list(tensors_in([[x], None, (x, [])])) == [x, x]
    assert list(tensors_in(None)) == []
