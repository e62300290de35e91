"""While recording it is noted which tensors make up a ragged or sparse tensor; classes are as before afterwards."""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf

import tensordbg
from tensordbg.trace.reader import open_trace


def test_noted_at_the_elements(tmp_path: Path) -> None:
    @tf.function
    def use(r: tf.RaggedTensor, s: tf.SparseTensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.reduce_sum(r * 2.0), tf.sparse.reduce_sum(s)

    before = (tf.RaggedTensor.__init__, tf.SparseTensor.__init__)
    with tensordbg.record(tmp_path) as recording:
        use(tf.ragged.constant([[1.0], []]), tf.sparse.from_dense([0.0, 1.0]))
    assert (tf.RaggedTensor.__init__, tf.SparseTensor.__init__) == before
    sites = open_trace(recording.path).sites().values()
    noted = {site.name: json.loads(site.attributes).get("composites") for site in sites}
    assert noted["r"] == [{"ragged": [["r_1", 0]]}]
    assert noted["s_1"] == [{"sparse": [["s", 0], ["s_2", 0]]}]
    assert noted["s"] is None
