"""Each place where eager code puts a ragged or sparse tensor together is noted once; afterwards all is as before."""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf

import tensordbg
from tensordbg.model import EAGER_COMPOSITE
from tensordbg.trace.reader import TraceReader, open_trace


def noted(reader: TraceReader) -> list[dict[str, list[list[int]]]]:
    told = (json.loads(site.attributes).get(EAGER_COMPOSITE) for site in reader.sites().values())
    return [each for each in told if each]


def test_once_for_each_place(tmp_path: Path) -> None:
    def work() -> None:
        for turn in range(3):
            tf.SparseTensor([[turn]], [1.0], [5])

    before = (tf.RaggedTensor.__init__, tf.SparseTensor.__init__)
    for name in ("first", "second"):
        with tensordbg.record(tmp_path / name) as recording:
            work()
        reader = open_trace(recording.path)
        (told,) = noted(reader)
        ops = {number: site.op_type for number, site in reader.sites().items()}
        assert [(ops[site], slot) for site, slot in told["sparse"]] == [("Input", 0)] * 3
        assert len({site for site, _ in told["sparse"]}) == 3
        assert reader.table("tensors").num_rows == 9
    assert (tf.RaggedTensor.__init__, tf.SparseTensor.__init__) == before


def test_parts_that_were_not_recorded_are_left_alone(tmp_path: Path) -> None:
    rows = tf.ragged.constant([[1.0], []])
    with tensordbg.record(tmp_path, every=2) as recording:
        for _ in range(2):
            rows.with_values(rows.values)
    reader = open_trace(recording.path)
    assert noted(reader) == []
    assert reader.table("tensors").num_rows == 0
