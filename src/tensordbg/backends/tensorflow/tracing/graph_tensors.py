"""Tells tensors of graphs from all else that a program may hold.

The classes are asked, not the objects: AutoGraph's `Undefined`, which stands for `self.best` before a loop has assigned
it, and stubs of tests say that they have any attribute.
"""

from __future__ import annotations

from typing import Any

import tensorflow as tf


def is_of_graph(value: Any) -> bool:
    """Whether it is a tensor of a graph, and none that eager code has computed."""
    return issubclass(type(value), tf.Tensor) and not hasattr(value, "numpy")


def is_ragged(value: Any) -> bool:
    """Whether it is a ragged tensor."""
    return issubclass(type(value), tf.RaggedTensor)


def is_sparse(value: Any) -> bool:
    """Whether it has values at indices: a sparse tensor, or the slices that a gradient may be."""
    return issubclass(type(value), (tf.SparseTensor, tf.IndexedSlices))


def is_tensor_array(value: Any) -> bool:
    """Whether it is a `tf.TensorArray`."""
    return issubclass(type(value), tf.TensorArray)
