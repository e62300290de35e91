from __future__ import annotations

from pathlib import Path

from tensordbg.importers.tfdbg2.logs import Log, find_logs
from tensordbg.importers.tfdbg2.stacks import Stacks, read_frames
from tensordbg.model import NONE, Detail, Frame
from tensordbg.trace.program.metadata import describe_this_process
from tensordbg.trace.reader import open_trace
from tensordbg.trace.writer import TraceWriter
from tests.importers.tfdbg2.logbuilder import LogBuilder

LIBRARY = "/elsewhere/python3.12/site-packages/tensorflow/python/framework/func_graph.py"


def with_frames(log: LogBuilder) -> Log:
    log.frame("f1", 3, "main")
    log.frame("f2", 9, "capture", LIBRARY)
    log.frame("f3", 1, "_process_stack_frames", "/x/site-packages/tensorflow/python/debug/lib/dumping_callback.py")
    return find_logs(log.folder)[0]


def test_frames_sources_and_whose_code_it_is(log: LogBuilder) -> None:
    table = read_frames(with_frames(log))
    assert table.frames["f1"] == Frame("/code/train.py", 3, "main", True)
    assert table.frames["f2"] == Frame(LIBRARY, 9, "capture", False)
    assert table.sources["/code/train.py"].text == "first\nsecond\nthird"
    assert table.capturing == {"f2"}


def test_stacks_get_numbers_and_leave_the_debugger_out(log: LogBuilder, tmp_path: Path) -> None:
    table = read_frames(with_frames(log))
    writer = TraceWriter.create(tmp_path / "trace", describe_this_process("train", Detail.HEALTH, "test"))
    stacks = Stacks(table, writer)
    numbers = [stacks.number(each) for each in (("f1", "f3"), ("unknown",), ("f1", "f2"), ("f1", "f3"))]
    assert numbers == [0, NONE, 1, 0]
    found = open_trace(tmp_path / "trace")
    assert [[frame.function for frame in stack] for stack in found.stacks().values()] == [["main"], ["main", "capture"]]
    assert set(found.sources()) == {"/code/train.py", LIBRARY}


def test_a_frame_of_a_file_that_was_not_written_is_left_out(log: LogBuilder) -> None:
    log.write("stack_frame_with_id", 1.0, id="f9", file_line_col={"file_index": 4, "line": 1, "func": "f"})
    log.write("source_file", 1.0, file_path="/code/\0", lines=["x"])
    log.write("stack_frame_with_id", 1.0, id="f0", file_line_col={"file_index": 0, "line": -5, "func": "f"})
    assert read_frames(find_logs(log.folder)[0]).frames == {"f0": Frame("/code/\0", 0, "f", False)}
