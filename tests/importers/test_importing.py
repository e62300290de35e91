"""A folder may hold what either of TensorFlow's debuggers wrote, or both."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordbg
from tensordbg.importers.importing import import_folder
from tests.importers.tfdbg2.logbuilder import BAD, LogBuilder


def make_log(folder: Path) -> None:
    log = LogBuilder(folder)
    log.function()
    log.trace("g1", "Log", 1.0, BAD)
    log.execution("__inference_train_9", 2.0, graph_id="g1")


def make_dump(folder: Path) -> None:
    (folder / "run_7_0" / "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0").mkdir(parents=True)


def test_both_are_found(tmp_path: Path) -> None:
    make_log(tmp_path / "both" / "log")
    make_dump(tmp_path / "both" / "dump")
    imported = import_folder(tmp_path / "both", tmp_path / "out")
    assert [(each.source, each.executions) for each in imported] == [
        (str(tmp_path / "both" / "dump"), 1),
        (f"{tmp_path / 'both' / 'log'} (vm)", 1),
    ]
    assert all(tensordbg.open(each.trace) for each in imported)


def test_one_is_enough(tmp_path: Path) -> None:
    make_dump(tmp_path / "dump")
    assert len(import_folder(tmp_path / "dump", tmp_path / "out")) == 1


def test_none_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(tensordbg.UsageError, match=r"holds no logs \(tfdbg_events\.\*\) and no dumps \(run_\*\)"):
        import_folder(tmp_path, tmp_path / "out")
