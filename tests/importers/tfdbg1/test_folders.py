"""Folders and files of a dump, by their names."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.importers.tfdbg1.folders import DumpedRun, device_name, find_dumps

CPU = "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("job_localhost,replica_0,task_0,device_CPU_0", "/job:localhost/replica:0/task:0/device:CPU:0"),
        ("job_ps_worker,replica_0,task_12,device_GPU_3", "/job:ps_worker/replica:0/task:12/device:GPU:3"),
    ],
)
def test_devices(text: str, name: str) -> None:
    assert device_name(text) == name


def test_tensors_are_in_the_order_in_which_they_were_computed(tmp_path: Path) -> None:
    files = [
        "b/MatMul_1_0_DebugIdentity_30",
        "a_0_DebugIdentity_20",
        "a_1_DebugNumericSummary_20",
        "_tfdbg_graph_hash1_9",
    ]
    for file in files:
        path = tmp_path / CPU / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = [(each.node, each.slot, each.operation, each.micros) for each in DumpedRun(tmp_path).tensors()]
    assert found == [
        ("a", 0, "DebugIdentity", 20),
        ("a", 1, "DebugNumericSummary", 20),
        ("b/MatMul_1", 0, "DebugIdentity", 30),
    ]


def test_runs_are_found_by_the_folder_that_was_given_and_in_order(tmp_path: Path) -> None:
    for run in ("one/run_20_1", "one/run_9_0", "one/run_100_2", "two/run_1_0", "alone"):
        (tmp_path / run / CPU).mkdir(parents=True)
    found = {root.name: [run.folder.name for run in runs] for root, runs in find_dumps(tmp_path).items()}
    assert found == {"alone": ["alone"], "one": ["run_9_0", "run_20_1", "run_100_2"], "two": ["run_1_0"]}
    assert list(find_dumps(tmp_path / "one" / "run_9_0")) == [tmp_path / "one" / "run_9_0"]
