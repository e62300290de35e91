from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Invoke
from tests.importers.tfdbg2.logbuilder import BAD, HEALTHY, LogBuilder


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two runs, the second of which went wrong."""
    for run, numbers in enumerate((HEALTHY, BAD)):
        log = LogBuilder(tmp_path / "logs" / f"run{run}", seconds=100 + run, run=f"run{run}")
        log.frame("f1", 2)
        log.function()
        log.trace("g1", "Log", 1.0, numbers)
        log.execution("__inference_train_9", 2.0, graph_id="g1", code_location={"stack_frame_ids": ["f1"]})
    return tmp_path / "logs"


def test_each_run_becomes_a_trace(invoke: Invoke, logs: Path) -> None:
    said = invoke("import", str(logs), "--out", "imported")
    assert (said.code, said.err) == (0, "")
    first, second = said.out.splitlines()
    assert first.startswith("imported/") and "run0-vm: 1 execution, 1 tensor of " in first
    assert "run1-vm: " in second


def test_all_commands_work_on_what_was_imported(invoke: Invoke, logs: Path) -> None:
    trace = invoke("import", str(logs / "run1"), "--out", "imported").out.partition(":")[0]
    assert "Log:0 in train() produced the first NaN: 1 of 3 elements" in invoke("why", trace).out
    assert '"nan": 1' in invoke("why", trace, "--json").out
    assert "Log:0" in invoke("ls", trace, "--non-finite").out
    assert '"subnormal": null' in invoke("ls", trace, "--json").out
    assert "Log:0  Log in train" in invoke("show", trace, "Log").out
    assert "1" in invoke("sql", trace, "SELECT count(*) AS n FROM tensors WHERE nan > 0").out
    assert invoke("export", trace, "exported").code == 0


def test_a_mode_that_only_tells_that_something_is_wrong(invoke: Invoke, tmp_path: Path) -> None:
    log = LogBuilder(tmp_path / "log")
    log.function()
    log.trace("g1", "Log", 1.0, (7.0, 1.0), mode=2)
    log.trace("g1", "x", 1.0, (8.0, 0.0), mode=2)
    log.execution("__inference_train_9", 2.0, graph_id="g1")
    trace = invoke("import", str(log.folder), "--out", "imported").out.partition(":")[0]
    assert "produced the first value that is not finite" in invoke("why", trace).out
    listed = invoke("ls", trace, "--non-finite").out
    assert "Log:0" in listed and "x:0" not in listed
    ordered = invoke("ls", trace, "--sort", "non-finite", "--reverse").out
    assert ordered.index("Log:0") < ordered.index("x:0")
    assert "Log:0" in invoke("show", trace, "Log:0").out


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_is_no_log_is_refused_in_one_line(invoke: Invoke, name: str) -> None:
    said = invoke("import", name)
    assert said.code == 2
    assert said.err.startswith(f"tdbg: error: {name}: ")
    assert said.err.count("\n") == 1
    assert "enable_dump_debug_info" in said.err


def test_damage_is_refused_in_one_line(invoke: Invoke, logs: Path) -> None:
    path = next((logs / "run0").glob("*.graphs"))
    path.write_bytes(b"x" + path.read_bytes()[1:])
    said = invoke("import", str(logs / "run0"))
    assert said.code == 2
    assert said.err.startswith(f"tdbg: error: {path}: is damaged")
    assert said.err.count("\n") == 1


def test_files_of_named_tensors(invoke: Invoke, tmp_path: Path) -> None:
    for step in range(2):
        np.savez(tmp_path / f"dump_{step}.npz", w=np.full((2, 3), step + 0.5), b=np.array([np.inf]))
    files = [str(tmp_path / f"dump_{step}.npz") for step in range(2)]
    said = invoke("import", *files, "--out", "imported")
    trace, _, told = said.out.strip().partition(": ")
    assert (said.code, said.err, told) == (0, "", "2 steps, 4 tensors of 2 files")
    assert "w:0" in invoke("ls", trace).out
    assert "0.5" in invoke("show", trace, "w", "--values").out
    assert "b:0" in invoke("why", trace).out
    assert invoke("diff", trace, trace).code == 0
    folder = invoke("import", str(tmp_path), "--out", "imported").out
    assert "2 steps, 4 tensors of 2 files" in folder


@pytest.mark.parametrize("names", [["notes.txt"], ["notes.txt", "a.npz"]])
def test_what_is_no_file_of_tensors(invoke: Invoke, tmp_path: Path, names: list[str]) -> None:
    (tmp_path / "notes.txt").touch()
    said = invoke("import", *(str(tmp_path / name) for name in names))
    assert said.code == 2
    assert "notes.txt: is no file of named tensors (.safetensors, .npz, .npy)" in said.err
