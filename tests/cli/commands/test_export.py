from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq

from tensordbg.trace.schema import TABLES
from tests.cli.conftest import Invoke
from tests.sample_trace import TENSOR_EVENTS


def test_one_file_per_table(invoke: Invoke) -> None:
    said = invoke("export", "out")
    assert said.code == 0
    assert said.out.splitlines() == [f"out/{name}.parquet" for name in TABLES]
    assert pq.read_table("out/tensors.parquet").num_rows == TENSOR_EVENTS


def test_nothing_is_overwritten(invoke: Invoke) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").touch()
    said = invoke("export", "tdbg-traces", "out")
    assert said.code == 2
    assert said.err.startswith("tdbg: error: out: ")
    assert Path("out/mine.txt").exists()


def test_each_process_of_a_run_into_its_own_folder(invoke: Invoke, sample_run: Path) -> None:
    said = invoke("export", sample_run.name, "out")
    assert said.out.splitlines() == [f"out/worker-{k}/{name}.parquet" for k in range(2) for name in TABLES]
    assert pq.read_table("out/worker-1/tensors.parquet").num_rows == TENSOR_EVENTS
