from __future__ import annotations

from pathlib import Path

import keras
import tensorflow as tf

import tensordbg
from tensordbg.backends.tensorflow.keras.symbols import is_symbol, made_by_operation, made_from, stack_of
from tensordbg.model import NONE


def test_what_made_a_symbolic_tensor_is_known(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path):
        inputs = keras.Input((8,), name="given")
        one = keras.layers.Dense(4, name="one")(inputs)
        total = one + inputs[:, :4]
    assert made_by_operation(one) == ("one", "Dense")
    assert [id(each) for each in made_from(one)] == [id(inputs)]
    assert made_from(inputs) == []
    assert [made_by_operation(each)[1] for each in made_from(total)] == ["Dense", "GetItem"]
    assert len({stack_of(each) for each in (inputs, one, total)} - {NONE}) == 3


def test_outputs_of_one_layer_are_told_apart(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path):
        state = keras.layers.LSTM(3, return_state=True, name="memory")(keras.Input((5, 2)))
    assert [made_by_operation(each)[0] for each in state] == ["memory", "memory:1", "memory:2"]


def test_what_was_made_while_nobody_looked_on_has_no_line() -> None:
    plain = keras.layers.Dense(4)(keras.Input((8,)))
    assert is_symbol(plain)
    assert stack_of(plain) == NONE


def test_other_tensors_are_no_symbols() -> None:
    assert not is_symbol(tf.ones([2]))
    assert not is_symbol(tf.Variable(1.0))
    assert not is_symbol(3)


def test_the_hook_is_taken_out_again(tmp_path: Path) -> None:
    from keras.src.ops.node import Node

    plain = Node.__init__
    with tensordbg.record(tmp_path):
        assert Node.__init__ is not plain
    assert Node.__init__ is plain
