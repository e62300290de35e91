"""Operations whose results need no check: what they take in was looked at, and they make nothing bad of what is good.

So a checked step reads less, and the runtime can write such a result over what it is computed from: a check holds that.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensordbg.backends.tensorflow import dtypes
from tensordbg.backends.tensorflow.check.tables import BOUNDED, IGNORED_OUTPUTS, SAFE, UNCHECKED
from tensordbg.backends.tensorflow.functions import definition as fd
from tensordbg.health.native import measure

_PASSED_ON = SAFE | {"Identity", "IdentityN"}
_PARTLY_CHECKED = frozenset(op_type for op_type, _ in IGNORED_OUTPUTS)


class BoundedOperations:
    """Learns the operations of one definition, in their order.

    Args:
        known_dtypes: TensorFlow's number of each tensor's dtype, complete as far as the operation in question.
    """

    def __init__(self, known_dtypes: dict[str, int]) -> None:
        self._dtypes = known_dtypes
        self._finite: set[str] = set()
        self._constants: dict[str, Any] = {}

    def needs_no_look(self, node: Any) -> bool:
        """Whether an operation makes nothing bad of what it takes in, and all of that was looked at."""
        if node.op == "Const":
            return _value_is_finite(node)
        return self._takes_finite(node) and (node.op in BOUNDED or self._is_scaled_down(node))

    def learn(self, node: Any) -> None:
        """Notes which outputs are finite where the program goes on.

        What is not unchecked was looked at, or needs no look.
        """
        outputs = [output.tensor for output in fd.outputs(node)]
        if node.op == "Const":
            self._constants.update(dict.fromkeys(outputs, node))
        if node.op in UNCHECKED:
            is_finite = node.op in _PASSED_ON and self._takes_finite(node)
        else:
            is_finite = node.op not in _PARTLY_CHECKED
        if is_finite:
            self._finite.update(outputs)

    def _takes_finite(self, node: Any) -> bool:
        return all(name in self._finite or self._dtypes.get(name) not in dtypes.FLOATS for name in fd.data_inputs(node))

    def _is_scaled_down(self, node: Any) -> bool:
        """Whether it is a product with a constant no larger than 1, and no 0: that makes a NaN of an infinity."""
        if node.op == "Mul":
            found = (self._magnitudes(name) for name in node.input)
            return any(each is not None and each.min() > 0 and each.max() <= 1 for each in found)
        if node.op == "RealDiv":
            divisor = self._magnitudes(node.input[1])
            return divisor is not None and bool(divisor.min() >= 1 and np.isfinite(divisor.max()))
        return False

    def _magnitudes(self, tensor: str) -> Any:
        """Of the elements of a small floating-point constant, float64; None of anything else."""
        import tensorflow as tf  # imported by the program already

        if tensor not in self._constants:
            return None
        value = self._constants[tensor].attr["value"].tensor
        size = np.prod([dim.size for dim in value.tensor_shape.dim])
        if value.dtype not in dtypes.FLOATS or not 0 < size <= _LARGEST_CONSTANT:
            return None
        array = tf.make_ndarray(value)
        return None if array.dtype.kind == "c" else np.abs(array.astype(np.float64))


_LARGEST_CONSTANT = 1024


def _value_is_finite(constant: Any) -> bool:
    """Whether a constant, which stays as it is, holds nothing to be found in any run."""
    import tensorflow as tf  # imported by the program already

    if constant.attr["dtype"].type not in dtypes.FLOATS:
        return True
    return measure(tf.make_ndarray(constant.attr["value"].tensor)).non_finite == 0
