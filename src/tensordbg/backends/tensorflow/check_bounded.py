"""Operations whose results need no check: what they take in was looked at, and they make nothing bad of what is good.

So a checked step reads less, and the runtime can write such a result over what it is computed from: a check holds that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import definition as fd
from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check_tables import BOUNDED, IGNORED_OUTPUTS, SAFE
from tensordbg.health.native import measure

_PASSING = BOUNDED | SAFE | {"Identity", "IdentityN"}
_PARTLY_CHECKED = frozenset(op_type for op_type, _ in IGNORED_OUTPUTS)


class BoundedOperations:
    """Learns the operations of one definition, in their order.

    Args:
        known_dtypes: TensorFlow's number of each tensor's dtype, complete as far as the operation in question.
    """

    def __init__(self, known_dtypes: dict[str, int]) -> None:
        self._dtypes = known_dtypes
        self._finite: set[str] = set()
        self._shrinking: set[str] = set()
        self._growing: set[str] = set()

    def needs_no_look(self, node: Any) -> bool:
        """Whether an operation makes nothing bad of what it takes in, and all of that was looked at."""
        if node.op == "Const":
            return _value_is_finite(node)
        return self._is_bounded(node) and self._takes_finite(node)

    def learn(self, node: Any, checks: list[str]) -> None:
        """Notes which outputs are finite where the program goes on: those with checks, and those that need none."""
        if node.op == "Const":
            self._learn_constant(node)
        elif checks:
            passes = node.op not in _PARTLY_CHECKED
        else:
            passes = (node.op in _PASSING or self._is_bounded(node)) and self._takes_finite(node)
        if node.op == "Const" or passes:
            self._finite.update(output.tensor for output in fd.outputs(node))

    def _learn_constant(self, node: Any) -> None:
        magnitudes = _magnitudes(node)
        if magnitudes is not None:
            tensors = [output.tensor for output in fd.outputs(node)]
            if magnitudes.min() > 0 and magnitudes.max() <= 1:
                self._shrinking.update(tensors)
            if magnitudes.min() >= 1 and np.isfinite(magnitudes.max()):
                self._growing.update(tensors)

    def _is_bounded(self, node: Any) -> bool:
        """Also a product with a constant that is no larger than 1, and no 0: that makes a NaN of an infinity."""
        if node.op == "Mul":
            return any(name in self._shrinking for name in node.input)
        if node.op == "RealDiv":
            return node.input[1] in self._growing
        return node.op in BOUNDED

    def _takes_finite(self, node: Any) -> bool:
        return all(name in self._finite or self._dtypes.get(name) not in dtypes.FLOATS for name in fd.data_inputs(node))


def _value_is_finite(constant: Any) -> bool:
    """Whether a constant, which stays as it is, holds nothing to be found in any run."""
    import tensorflow as tf  # imported by the program already

    if constant.attr["dtype"].type not in dtypes.FLOATS:
        return True
    return measure(tf.make_ndarray(constant.attr["value"].tensor)).non_finite == 0


def _magnitudes(constant: Any) -> Any:
    """Of the elements of a small floating-point constant, float64; None of any other."""
    import tensorflow as tf  # imported by the program already

    tensor = constant.attr["value"].tensor
    size = np.prod([dim.size for dim in tensor.tensor_shape.dim])
    if tensor.dtype not in dtypes.FLOATS or not 0 < size <= _LARGEST_CONSTANT:
        return None
    array = tf.make_ndarray(tensor)
    return None if array.dtype.kind == "c" else np.abs(array.astype(np.float64))


_LARGEST_CONSTANT = 1024
