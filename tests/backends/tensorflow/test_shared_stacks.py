"""Operations share their stacks while somebody looks, and each is told where it was made as before."""

from __future__ import annotations

import tensorflow as tf

from tensordbg.backends.tensorflow.hooks import hooks
from tensordbg.backends.tensorflow.internals import tf_stack
from tensordbg.backends.tensorflow.own_frames import OwnFrames
from tensordbg.backends.tensorflow.shared_stacks import SharedStacks
from tensordbg.backends.tensorflow.stack_keys import DEEPEST
from tests.backends.tensorflow.checked import checking


def built() -> list[list[str]]:
    """Builds a graph in a few ways, and gives the stack of each operation as TensorFlow prints it."""

    def deep(x: tf.Tensor, levels: int) -> tf.Tensor:
        return x + 1.0 if levels == 0 else deep(x, levels - 1)

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2])
        for _ in range(3):
            x = tf.math.log(x)
        (slope,) = tf.gradients(tf.reduce_sum(x), [x])
        deep(slope, 3)
        deep(slope, DEEPEST)
        deep(slope, DEEPEST + 1)
    return [
        [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in each.traceback] for each in graph.get_operations()
    ]


def test_each_operation_has_the_stack_that_it_has_plainly() -> None:
    OwnFrames().leave_out()
    shared, answers = SharedStacks(), []
    for looking in (False, True):
        if looking:
            shared.begin()
        answers.append(built())
    shared.end()
    assert answers[0] == answers[1]
    assert len({len(stack) for stack in answers[0]}) > 3


def test_operations_of_one_line_share_one_stack_that_nobody_looks_at() -> None:
    OwnFrames().leave_out()
    shared, asked = SharedStacks(), []

    def number(own: object) -> int:
        asked.append(own)
        return len(asked)

    shared.begin()
    with tf.Graph().as_default() as graph:
        for _ in range(3):
            tf.constant(1.0)
        tf.constant(2.0)
    operations = graph.get_operations()
    numbers = [shared.number(operation.traceback, number) for operation in operations]
    assert numbers == [1, 1, 1, 2]
    assert not {id(operation.traceback) for operation in operations} & {id(own) for own in asked}
    shared.end()
    assert tf_stack.extract_stack is shared.plain
    assert shared.number(operations[0].traceback, number) is None


def test_sharing_ends_with_the_last_that_looks() -> None:
    plain = hooks().stacks.shared.plain
    with checking():
        assert tf_stack.extract_stack is not plain
    assert tf_stack.extract_stack is plain
