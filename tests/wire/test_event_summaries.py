"""Event files of numbers and texts, as TensorBoard itself reads them."""

from __future__ import annotations

from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tensordbg.wire.event_file import event_file_name
from tensordbg.wire.event_summaries import scalar, summaries_file, text


def test_tensorboard_reads_them(tmp_path: Path) -> None:
    events = [text("report", "# 1 of 2 is -inf", 0), scalar("bad", 0, 0), scalar("bad", 2.5, 7)]
    (tmp_path / event_file_name(5.0)).write_bytes(summaries_file(events, 5.0))
    read = EventAccumulator(str(tmp_path))
    read.Reload()
    assert list(read.PluginTagToContent("scalars")) == ["bad"]
    assert list(read.PluginTagToContent("text")) == ["report"]
    points = [(each.step, each.wall_time, each.tensor_proto.double_val[0]) for each in read.Tensors("bad")]
    assert points == [(0, 5.0, 0.0), (7, 5.0, 2.5)]
    assert [each.tensor_proto.string_val[0] for each in read.Tensors("report")] == [b"# 1 of 2 is -inf"]
