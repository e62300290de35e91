"""What TensorFlow's own wrappers dumped becomes a trace on which all commands work."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensordbg
from tensordbg.api import Trace
from tensordbg.importers.tfdbg1.importing import import_dumps


@pytest.fixture(scope="module")
def whole(dumps: Path, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    out = tmp_path_factory.mktemp("imported")
    (imported,) = import_dumps(dumps / "whole", out)
    assert (imported.executions, imported.folder) == (3, dumps / "whole")
    trace = tensordbg.open(imported.trace)
    assert imported.tensors == len(trace.tensors().rows)
    return trace


def test_each_run_is_the_call_of_a_function_of_what_it_feeds_and_fetches(whole: Trace) -> None:
    names = {row["function"]: row["name"] for row in whole.table("functions").to_pylist()}
    rows = whole.table("executions").to_pylist()
    assert [(names[row["function"]], row["step"]) for row in rows] == [
        ("Session.run(init)", 0),
        ("Session.run(loop/Exit_1, train)", 0),
        ("Session.run(loop/Exit_1, train)", 1),
    ]
    assert all(row["begin_ns"] <= row["end_ns"] for row in rows)


def test_elements_and_health_are_those_of_the_run(whole: Trace) -> None:
    values = whole.tensor("x:0").values()
    np.testing.assert_array_equal(values, np.stack([np.full((2, 4), 0.5), np.full((2, 4), -0.5)]).astype(np.float32))
    first, second = (row for row in whole.tensors().rows if row.tensor == "Log:0")
    assert first.health is not None and second.health is not None
    assert (first.health.nan, first.health.neg_inf, first.health.min) == (0, 0, pytest.approx(np.log(2.0)))
    assert (second.health.neg_inf, second.shape, second.dtype) == (6, (2, 3), "float32")
    assert second.op_type == "Log" and second.device.endswith("CPU:0")


def test_turns_of_a_loop_are_counted(whole: Trace) -> None:
    turns = [row.iteration for row in whole.tensors().rows if row.tensor == "loop/mul:0"]
    assert turns == [0, 1, 2, 0, 1, 2]


def test_the_way_back_is_that_of_the_graph(whole: Trace) -> None:
    (origin, *_) = whole.why().origins
    assert (origin.view.tensor, origin.cause) == ("Log:0", "log_of_zero")
    assert [each.tensor for each in origin.inputs] == ["hidden/relu:0"]
    sites = {row["name"]: row["op_type"] for row in whole.table("sites").to_pylist()}
    assert (sites["x"], sites["hidden/MatMul"], sites["hidden/w"]) == ("Placeholder", "MatMul", "VariableV2")
    assert not [name for name in sites if name.startswith(("__copy", "__dbg", "_arg", "_retval"))]


def test_one_run_by_itself(dumps: Path, tmp_path: Path) -> None:
    (run,) = (dumps / "whole").glob("run_*_2")
    (imported,) = import_dumps(run, tmp_path)
    assert (imported.executions, imported.folder) == (1, run)


def test_what_a_summary_tells(dumps: Path, tmp_path: Path) -> None:
    (imported,) = import_dumps(dumps / "DebugNumericSummary", tmp_path)
    rows = {row.tensor: row for row in tensordbg.open(imported.trace).tensors().rows}
    health = rows["Relu:0"].health
    assert health is not None
    assert (health.size, health.zero, health.min, health.max, health.mean) == (8, 8, 0.0, 0.0, 0.0)
    (name,) = (name for name in rows if name.startswith("Counted"))
    assert rows[name].health is not None
    assert (rows[name].health.neg_inf, rows[name].shape, rows[name].dtype) == (8, (2, 4), "float32")


def test_what_a_count_tells(dumps: Path, tmp_path: Path) -> None:
    (imported,) = import_dumps(dumps / "DebugNanCount", tmp_path)
    rows = tensordbg.open(imported.trace).tensors().rows
    assert len(rows) == 2
    assert {row.health for row in rows} == {None}


def test_a_file_that_is_none_of_a_dump_is_refused(dumps: Path, tmp_path: Path) -> None:
    (run,) = (dumps / "whole").glob("run_*_0")
    copy = tmp_path / "run_5_0"
    copy.mkdir()
    device = next(run.glob("_tfdbg_device_*"))
    (copy / device.name).mkdir()
    bad = copy / device.name / "Log_0_DebugIdentity_77"
    bad.write_bytes(b"\xff\xff\xff")
    with pytest.raises(tensordbg.TraceError, match=f"^{bad}: holds no event of the debugger"):
        import_dumps(copy, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_without_dumps_has_none(tmp_path: Path) -> None:
    assert import_dumps(tmp_path, tmp_path / "out") == []
