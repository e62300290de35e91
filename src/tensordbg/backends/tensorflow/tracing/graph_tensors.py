"""Tells tensors of graphs from all else that a program may hold.

The classes are asked, not the objects: AutoGraph's `Undefined`, which stands for `self.best` before a loop has assigned
it, and stubs of tests say that they have any attribute.
"""

from __future__ import annotations

from typing import Any

import numpy as np
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


def is_simple(value: Any) -> bool:
    """Whether it is one tensor, of a graph or not, or what Python has in its place: a number, an array."""
    return issubclass(type(value), (tf.Tensor, bool, int, float, complex, str, bytes, np.ndarray, np.generic))


def is_in_current_graph(tensor: Any) -> bool:
    """Whether a tensor of a graph belongs to the one that is being built."""
    return tensor.graph is tf.compat.v1.get_default_graph()
