"""What has an operation's name and can't be its result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf

import tensordbg
from tests.analysis.causes.cases import cause, inf, verdict

v1 = tf.compat.v1


def test_a_result_smaller_than_its_operand_is_of_other_operands() -> None:
    said = verdict("Mul", inf, [[1.0, 2.0]], None)
    assert said.cause == "regrouped_operations"
    assert "has the shape [] in this run, and its operand x0:0 [1, 2]" in said.explanation


def test_operands_that_broadcast_are_the_operations_own() -> None:
    assert cause("Mul", [[inf, 1.0], [1.0, 1.0]], [[1.0], [1.0]], None) == "unknown"
    assert cause("Mul", [[inf, 1.0]], [2.0, 1.0], None) == "unknown"
    assert cause("Mul", [inf], 1.0, None) == "unknown"
    assert cause("Sum", inf, [[1.0, 2.0]], None) == "unknown"


def test_constants_that_a_session_multiplies_first(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path) as recording, tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [None, 3])
        y = tf.reduce_sum((x * 1e30) * 1e30)
        session.run(y, {x: np.full((1, 3), 1e-30)})
    origin = tensordbg.open(recording.path).why().origins[0]
    assert (origin.view.op_type, origin.cause) == ("Mul", "regrouped_operations")


def test_what_a_view_is_of_tells_nothing() -> None:
    """PyTorch adds the transposed gradient, of which the trace has the tensor itself."""
    assert cause("aten::add_", [[inf, inf, inf]], [[1.0], [2.0], [3.0]], framework="torch") == "unknown"
