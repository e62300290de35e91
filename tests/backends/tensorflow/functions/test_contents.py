"""Functions are compared by what they compute, whatever was noted beside, or left out as it goes without saying."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.functions.contents import are_alike, completed, may_be_described_by
from tensordbg.recording.catalog import CATALOG
from tests.backends.tensorflow.checked import checking

VECTOR = tf.TensorSpec([2], tf.float32)


def f(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.math.log(x - 1.0), axis=0)


def other_constant(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.math.log(x - 2.0), axis=0)


def other_attribute(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.math.log(x - 1.0), axis=0, keepdims=True)


def other_operation(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(tf.math.exp(x - 1.0), axis=0)


def one_more(x: tf.Tensor) -> tf.Tensor:
    return -f(x)


OTHERS = [other_constant, other_attribute, other_operation, one_more]


def definition_of(function: Callable[[tf.Tensor], tf.Tensor]) -> Any:
    return tf.function(function).get_concrete_function(VECTOR).function_def


def exported(definition: Any) -> Any:
    """As a SavedModel has it: without what has its default, with what TensorFlow notes of shapes."""
    copy = type(definition).FromString(definition.SerializeToString())
    copy.node_def.reverse()
    for node in copy.node_def:
        node.attr["_output_shapes"].list.shape.add().dim.add(size=2)
        if node.op == "Sum":
            node.attr.pop("Tidx")
            if not node.attr["keep_dims"].b:
                node.attr.pop("keep_dims")
    return copy


def test_what_comes_back_is_what_went() -> None:
    definition = definition_of(f)
    assert exported(definition) != definition
    assert are_alike(definition, completed(exported(definition)))
    assert not are_alike(definition, exported(definition))


def test_a_constant_that_is_not_a_number_is_like_itself() -> None:
    definition = definition_of(lambda x: x + float("nan"))
    assert are_alike(definition, completed(exported(definition)))


@pytest.mark.parametrize("other", OTHERS)
def test_what_computes_something_else_is_not(other: Callable[[tf.Tensor], tf.Tensor]) -> None:
    assert not are_alike(definition_of(f), completed(exported(definition_of(other))))


def test_sites_tell_what_they_are_of() -> None:
    with checking():
        definition = definition_of(f)
        sites = CATALOG.sites_of_function(definition.signature.name)
        assert may_be_described_by(completed(exported(definition)), sites)
        for other in OTHERS:
            assert not may_be_described_by(completed(exported(definition_of(other))), sites), other
