"""Tensors of graphs are told from what only says that it has all of their attributes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest
import tensorflow as tf

from tensordbg.backends.tensorflow.tracing.graph_tensors import is_of_graph, is_ragged, is_sparse, is_tensor_array
from tests.backends.tensorflow.recorded import shown


def test_tensors_of_graphs_alone() -> None:
    with tf.Graph().as_default():
        assert is_of_graph(tf.constant(1.0))
        assert is_tensor_array(tf.TensorArray(tf.float32, 1))
    eager = tf.constant(1.0)
    assert not any(map(is_of_graph, (eager, tf.Variable(1.0), MagicMock(), 1.0)))
    assert is_ragged(tf.ragged.constant([[1.0]]))
    assert is_sparse(tf.sparse.from_dense([1.0]))
    assert is_sparse(tf.IndexedSlices(eager, eager))
    assert not any(each(MagicMock()) for each in (is_ragged, is_sparse, is_tensor_array))


@pytest.mark.filterwarnings("error:recording stopped")
def test_an_attribute_that_a_loop_assigns_first(tmp_path: Path) -> None:
    class Model(tf.Module):
        @tf.function
        def run(self, x: Any) -> Any:
            best: dict[str, Any] = {}
            for _ in tf.range(3):
                self.last = x + 1.0
                best["x"] = x * 2.0
                x = self.last
            return x

    model = Model()
    values = shown(tmp_path, lambda: model.run(tf.constant(1.0)))
    assert values("x")[-1] == 4
    assert values("self.last")[-3:] == [2, 3, 4]
